"""Reads from copies of the database that PostgreSQL streams to, where there are any (`REPLICA_URLS`).

Only views that say so are read from a replica (`reading.from_replica`): boards, archive, profiles, ledger, public API.
Whatever locks, writes or decides stays on the primary, and so does everything without the setting.
"""
