"""PostgreSQL, with connections that are tried as they are taken."""
