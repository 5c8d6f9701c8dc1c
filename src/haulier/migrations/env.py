"""Alembic runs this file for every command. `haulier.adapters.migrations` hands in the connection, in a transaction."""

from typing import Any, Literal

from alembic import context
from alembic.autogenerate.api import AutogenContext
from alembic.ddl.postgresql import PostgresqlImpl
from alembic.operations.ops import CreateTableOp, MigrationScript
from sqlalchemy import Connection, inspect, text
from sqlalchemy.dialects import postgresql

from haulier.adapters import audit_guard
from haulier.adapters.audit_guard import audit_guard_ddl, audit_triggers_sql, drop_audit_guard_ddl
from haulier.adapters.migrations import is_created_separately
from haulier.adapters.postgres import partition_ddl, row_level_security_ddl
from haulier.app import load_tables
from haulier.kernel.data import tables
from haulier.kernel.data.full_text import INDEX_SUFFIX, full_text_ddl, full_text_tables

FULL_TEXT_INDEXES_SQL = (
    f"SELECT indexname FROM pg_indexes WHERE schemaname = current_schema() AND indexname LIKE '%{INDEX_SUFFIX}%'"
)


def render_item(kind: str, item: Any, autogen: AutogenContext) -> str | Literal[False]:
    """Our own column types and keys, by the names they have in the code."""
    name: str | None = None
    if kind == "primary_key" and isinstance(item, tables.TenantKey):
        columns = "".join(f"{column.name!r}, " for column in item.columns)
        autogen.imports.add("from haulier.kernel.data import tables")
        return f"tables.TenantKey({columns}name=op.f({str(item.name)!r}))"
    if kind == "type" and isinstance(item, tables.UTCDateTime | tables.Json):
        name = f"{type(item).__name__}()"
    elif kind == "type" and tables.is_id(item):
        name = "Id"
    if name is None:
        return False
    autogen.imports.add("from haulier.kernel.data import tables")
    return f"tables.{name}"


def clear_info(_context: Any, _revision: Any, scripts: list[MigrationScript]) -> None:
    """What a table's declaration says to our own code is no part of the schema."""
    for script in scripts:
        for operation in script.upgrade_ops.ops if script.upgrade_ops else ():
            if isinstance(operation, CreateTableOp):
                operation.info = {}


def spell_portably() -> None:
    """Let generated revisions say SQL expressions as PostgreSQL does (`IS true`): SQLite understands that, not vice versa."""
    impl: Any = context.get_context().impl
    spelling = PostgresqlImpl(postgresql.dialect(), None, False, None, None, {})
    impl.render_ddl_sql_expr = spelling.render_ddl_sql_expr


def protect(connection: Connection) -> None:
    """Partition every tenant table that is new and asks for it, and put row-level security on it."""
    query = "SELECT tablename FROM pg_policies WHERE schemaname = current_schema() AND policyname = 'tenant'"
    existing_tables = set(inspect(connection).get_table_names())
    protected = set(connection.scalars(text(query)))
    for table in tables.tenant_tables():
        if table.name in existing_tables - protected:
            policy = row_level_security_ddl(table)
            for statement in (*partition_ddl(table), *policy):
                connection.execute(statement)


def index_full_text(connection: Connection) -> None:
    """Create missing full-text indexes, and on SQLite drop those of removed tables.

    Without a missing index it changes nothing, so a role that owns no table may run it.
    """
    existing_tables = set(inspect(connection).get_table_names())
    sqlite = tables.is_sqlite(connection.dialect)
    indexed = existing_tables if sqlite else set(connection.scalars(text(FULL_TEXT_INDEXES_SQL)))
    for table in full_text_tables():
        index = f"{table.name}{INDEX_SUFFIX}"
        if (table.name in existing_tables) == any(name.startswith(index) for name in indexed):
            continue
        if table.name in existing_tables:
            for statement in full_text_ddl(table, connection.dialect):
                connection.exec_driver_sql(statement)
        elif sqlite:
            connection.exec_driver_sql(f'DROP TABLE "{index}"')


def guard_audit_trail(connection: Connection) -> None:
    """Create the triggers of the audit trail where they are missing; copying its tables on SQLite drops them."""
    dialect = connection.dialect
    if audit_guard.SEAL not in inspect(connection).get_table_names():
        statements = drop_audit_guard_ddl(dialect)
    elif connection.scalar(text(audit_triggers_sql(dialect))):
        return
    else:
        statements = [*drop_audit_guard_ddl(dialect), *audit_guard_ddl(dialect)]
    for statement in statements:
        connection.exec_driver_sql(statement)


def run(connection: Connection) -> None:
    """Bring the schema where the command wants it."""
    context.configure(
        connection=connection,
        target_metadata=tables.metadata,
        include_name=lambda name, _kind, _parents: not (name and is_created_separately(name)),
        render_as_batch=True,
        render_item=render_item,
        process_revision_directives=clear_info,
        transactional_ddl=True,
    )
    spell_portably()
    context.run_migrations()
    if connection.dialect.name == "postgresql":
        protect(connection)
    index_full_text(connection)
    guard_audit_trail(connection)


load_tables()
run(context.config.attributes["connection"])
