"""Why the database cannot be used, in one sentence that names the setting and the server, but no password."""

from __future__ import annotations

import psycopg
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections

from games.db.timeouts import connect_directly, database_timeout

#: Timeout of the connection check, in seconds.
CHECK_SECONDS = 2.0


def database_problem(alias: str = DEFAULT_DB_ALIAS) -> str:
    """Return why the database does not accept connections, or an empty string.

    Connects outside the pool, which would report only that it has waited long enough.
    """
    try:
        if connections[alias].vendor == "sqlite":
            connections[alias].ensure_connection()
        else:
            with database_timeout(CHECK_SECONDS), connect_directly(alias) as connection:
                connection.execute("SELECT 1")
    except (DatabaseError, psycopg.Error, OSError) as error:
        return database_sentence(error, alias)
    return ""


def database_sentence(error: Exception, alias: str = DEFAULT_DB_ALIAS) -> str:
    """Return an error of the database as a sentence with the setting and the server."""
    setting = "DATABASE_URL" if alias == DEFAULT_DB_ALIAS else "REPLICA_URLS"
    used = connections[alias].settings_dict
    reason = (str(error).splitlines() or [""])[0].rpartition("failed: ")[2].strip()
    if connections[alias].vendor == "sqlite":
        return f"{setting}: SQLite in {used['NAME']}: {reason}"
    server = f"PostgreSQL at {used['HOST'] or 'localhost'}:{used['PORT'] or 5432}"
    return f"{setting}: {server}, database {used['NAME']}, user {used['USER']}: {reason}"
