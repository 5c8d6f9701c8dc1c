"""Distribution of a migrated PostgreSQL database by client, with Citus.

Each declared table defines its own `Placement`.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import asyncpg
from msgspec import Struct
from sqlalchemy import Table

from haulier.adapters.migrations import ADVISORY_LOCK_KEY
from haulier.adapters.postgres import HAS_CITUS_SQL
from haulier.kernel.data.tables import CLIENT_ID, Placement, placement_of

DEFAULT_SHARDS = 32

PLACED_SQL = """
SELECT logicalrelid::regclass::text AS name,
    CASE WHEN partmethod = 'h' THEN 'distributed' WHEN repmodel = 't' THEN 'reference' ELSE 'local' END AS placement
FROM pg_dist_partition
"""
ORDER = (Placement.REFERENCE, Placement.DISTRIBUTED, Placement.LOCAL)
HAS_COORDINATOR_SQL = "SELECT EXISTS (SELECT FROM pg_dist_node WHERE groupid = 0)"
SEES_EVERY_ROW_SQL = "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"

PROPAGATE_SQL = """
DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET citus.propagate_set_commands TO local', current_database());
END $$
"""
# Row-level security on the nodes reads the client that a transaction sets on the coordinator (SET LOCAL).

NUMBERED_SQL = """
SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = $1::text::regclass AND attname = 'id' AND attidentity <> '')
"""
SEQUENCE_SQL = "SELECT pg_get_serial_sequence($1, 'id')"
CONTINUE_SQL = "SELECT setval(pg_get_serial_sequence($1, 'id'), $2, $3)"

_WHYS = {
    Placement.DISTRIBUTED: "the rows of each client",
    Placement.REFERENCE: "belongs to no client, and is joined with the rows of clients",
    Placement.LOCAL: "belongs to no client",
}


class NotDistributable(Exception):
    """Raised if the database cannot be distributed.

    The message contains the reason and the next step.
    """


class TableStep(Struct, frozen=True, kw_only=True):
    """Planned placement of one table."""

    table: str
    placement: Placement
    why: str
    statements: tuple[str, ...]


def plan_distribution(tables: Iterable[Table], placed: Collection[str] = ()) -> list[TableStep]:
    """Return the placement of each table, in order of execution.

    Reference tables come first, followed by the tables of clients, which are all colocated with the first of them.
    `placed` contains the tables that are already distributed. New tables are colocated with them.
    """
    known = sorted(tables, key=lambda table: table.name)
    first = min(
        (table.name for table in known if placement_of(table) is Placement.DISTRIBUTED),
        key=lambda name: name not in placed,
        default="",
    )
    known.sort(key=lambda table: (ORDER.index(placement_of(table)), table.name != first))
    return [
        TableStep(
            table=table.name,
            placement=placement_of(table),
            why=table.info.get("directory", _WHYS[placement_of(table)]),
            statements=_statements(table.name, placement_of(table), "none" if table.name == first else first),
        )
        for table in known
    ]


def _statements(name: str, placement: Placement, beside: str) -> tuple[str, ...]:
    # Distributing a table copies its rows to the nodes. The coordinator's copy has to be truncated separately.
    emptied = f"SELECT truncate_local_data_after_distributing_table('{name}')"
    match placement:
        case Placement.DISTRIBUTED:
            return (
                f"SELECT create_distributed_table('{name}', '{CLIENT_ID}', colocate_with => '{beside}')",
                emptied,
            )
        case Placement.REFERENCE:
            return f"SELECT create_reference_table('{name}')", emptied
        case Placement.LOCAL:
            # Citus commits in two phases only between tables that it manages.
            return (f"SELECT citus_add_local_table_to_metadata('{name}')",)


def distribute_database(
    url: str, tables: Iterable[Table], *, shards: int = DEFAULT_SHARDS, on_step: Callable[[TableStep, bool], None]
) -> None:
    """Distribute a database by client.

    Idempotent: correctly placed tables are skipped. Each table has its own transaction, so an interrupted run can be
    repeated. `on_step(step, done_before)` is called after each table. The function blocks, and the database must not be
    written to while it runs. Raises `NotDistributable`.
    """
    known = list(tables)
    with ThreadPoolExecutor(1) as thread:  # the caller may already run an event loop
        thread.submit(lambda: asyncio.run(_distribute(url, known, shards, on_step))).result()


async def _distribute(url: str, tables: list[Table], shards: int, on_step: Callable[[TableStep, bool], None]) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("SELECT pg_advisory_lock($1)", ADVISORY_LOCK_KEY)
        placed = await _placed(connection)
        steps = plan_distribution(tables, placed)
        _require_consistent(steps, placed)
        await _require_sight(connection)
        await connection.execute(PROPAGATE_SQL)
        await connection.execute(f"SET citus.shard_count = {shards:d}")
        for step in steps:
            if step.table not in placed:
                await _place(connection, step)
            on_step(step, step.table in placed)
    finally:
        await connection.close()


async def _place(connection: asyncpg.Connection, step: TableStep) -> None:
    async with connection.transaction():
        has_number = await connection.fetchval(NUMBERED_SQL, step.table)
        position = await _last_number(connection, step.table) if has_number else None
        for statement in step.statements:
            await connection.execute(statement)
        if position:  # a local table gets a new sequence
            await connection.execute(CONTINUE_SQL, step.table, *position)


async def _last_number(connection: asyncpg.Connection, table: str) -> Any:
    sequence = await connection.fetchval(SEQUENCE_SQL, table)
    return await connection.fetchrow(f"SELECT last_value, is_called FROM {sequence}")


async def _placed(connection: asyncpg.Connection) -> dict[str, Placement]:
    """Return the tables that Citus manages, with their placement.

    Raises `NotDistributable` if Citus is not set up.
    """
    if not await connection.fetchval(HAS_CITUS_SQL):
        raise NotDistributable(
            "this database does not have the extension citus: install Citus on the server and its workers, run"
            " CREATE EXTENSION citus in this database on each, and register the workers (citus_add_node)"
        )
    if not await connection.fetchval(HAS_COORDINATOR_SQL):
        raise NotDistributable(
            "the coordinator is not registered, so it could not join local tables with reference tables: run"
            " SELECT citus_set_coordinator_host('its name or address')"
        )
    return {row["name"]: Placement(row["placement"]) for row in await connection.fetch(PLACED_SQL)}


def _require_consistent(steps: Iterable[TableStep], placed: Mapping[str, Placement]) -> None:
    wrong = [
        f"{step.table} is {placed[step.table]} and should be {step.placement}"
        for step in steps
        if placed.get(step.table, step.placement) is not step.placement
    ]
    if wrong:
        raise NotDistributable(f"{'; '.join(wrong)}: run SELECT undistribute_table('…') for each, then this again")


async def _require_sight(connection: asyncpg.Connection) -> None:
    """Raise `NotDistributable` unless the role bypasses row-level security.

    Row-level security also applies to the owner of the tables, and rows hidden from the role would not be copied.
    """
    if not await connection.fetchval(SEES_EVERY_ROW_SQL):
        raise NotDistributable(
            "this role is bound by row-level security, so it would not copy the rows of the clients: connect as a superuser"
            " or as a role with BYPASSRLS that owns the tables"
        )
