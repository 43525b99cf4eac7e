"""Read replicas: reads from PostgreSQL streaming replicas, if any are configured (`REPLICA_URLS`).

Only views that opt in read from a replica (`reading.from_replica`): leaderboards, archive, profiles, ledger, public
API. Everything that locks, writes or decides stays on the primary. Without the setting, everything does.
"""
