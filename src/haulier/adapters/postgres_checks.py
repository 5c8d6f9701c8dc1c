"""Role, row-level security and version of a PostgreSQL database."""

from collections.abc import Collection

from msgspec import Struct

from haulier.adapters.postgres_pool import open_connection

_ROLE_SQL = """
SELECT current_user, rolsuper OR rolbypassrls, current_setting('server_version'),
       pg_size_pretty(pg_database_size(current_database()))
FROM pg_roles WHERE rolname = current_user
"""
_PROTECTED_SQL = """
SELECT relname FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relrowsecurity AND relforcerowsecurity
"""


class ServerFacts(Struct, frozen=True):
    """Facts about a PostgreSQL server and the role of the connection."""

    role: str
    sees_every_row: bool
    """True if row-level security does not bind the role."""
    version: str
    size: str
    unprotected: list[str]
    """Tenant tables without row-level security."""


async def read_server_facts(url: str, tenant_tables: Collection[str]) -> ServerFacts:
    """Return the facts about a server. Raises the errors of the driver."""
    connection = await open_connection(url)
    try:
        ((role, sees_every_row, version, size),) = await connection.fetch(_ROLE_SQL)
        protected = {row[0] for row in await connection.fetch(_PROTECTED_SQL)}
    finally:
        await connection.close()
    return ServerFacts(role, sees_every_row, version.split()[0], size, sorted(set(tenant_tables) - protected))
