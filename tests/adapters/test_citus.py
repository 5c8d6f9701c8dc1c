"""Distribution of tables by client with Citus, simulated on plain PostgreSQL."""

from collections.abc import Iterator

import asyncpg
import pytest
from sqlalchemy import Column, MetaData, String
from tests.support.citus_stand_in import STAND_IN
from tests.support.databases import cluster, make_tables
from typer.testing import CliRunner

from haulier.adapters.citus import NotDistributable, TableStep, distribute_database, plan_distribution
from haulier.app import load_tables
from haulier.cli import app as command_line
from haulier.kernel.data.tables import (
    Placement,
    append_only_table,
    directory_table,
    is_tenant_table,
    metadata,
    shared_table,
    tenant_table,
)


def some_tables(*, later: bool = False) -> MetaData:
    """Return tables of each kind, and one for clients that a later upgrade adds."""
    some = MetaData(naming_convention=metadata.naming_convention)
    shared_table("country", everywhere=True, metadata=some)
    shared_table("queue", metadata=some)
    directory_table("ticket", Column("code", String(9), unique=True), why="the code says whose it is", metadata=some)
    tenant_table("crate", metadata=some)
    tenant_table("piece", metadata=some)
    if later:
        tenant_table("box", metadata=some)
    return some


@pytest.fixture
def empty() -> Iterator[str]:
    with cluster().nothing() as url:
        yield url.replace(
            f"{cluster().url().partition('@')[0]}@", f"{cluster().url(role='postgres').partition('@')[0]}@"
        )


async def run(url: str, sql: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetch(sql) if sql.startswith("SELECT") else [await connection.execute(sql)]
    finally:
        await connection.close()


def distribute(url: str, tables: MetaData) -> dict[str, bool]:
    """Return the tables, and whether each was placed before."""
    told: dict[str, bool] = {}

    def note(step: TableStep, done_before: bool) -> None:
        told[step.table] = done_before

    distribute_database(url, tables.sorted_tables, on_step=note)
    return told


def test_the_plan_states_the_placement_of_each_table_with_its_reason() -> None:
    steps = plan_distribution(some_tables().sorted_tables)
    assert [(step.table, step.placement, step.why) for step in steps] == [
        ("country", Placement.REFERENCE, "belongs to no client, and is joined with the rows of clients"),
        ("crate", Placement.DISTRIBUTED, "the rows of each client"),
        ("piece", Placement.DISTRIBUTED, "the rows of each client"),
        ("queue", Placement.LOCAL, "belongs to no client"),
        ("ticket", Placement.LOCAL, "the code says whose it is"),
    ]
    assert [statement for step in steps for statement in step.statements] == [
        "SELECT create_reference_table('country')",
        "SELECT truncate_local_data_after_distributing_table('country')",
        "SELECT create_distributed_table('crate', 'client_id', colocate_with => 'none')",
        "SELECT truncate_local_data_after_distributing_table('crate')",
        "SELECT create_distributed_table('piece', 'client_id', colocate_with => 'crate')",
        "SELECT truncate_local_data_after_distributing_table('piece')",
        "SELECT citus_add_local_table_to_metadata('queue')",
        "SELECT citus_add_local_table_to_metadata('ticket')",
    ]


def test_a_new_table_is_added_to_the_distributed_ones() -> None:
    steps = {step.table: step for step in plan_distribution(some_tables(later=True).sorted_tables, {"crate", "piece"})}
    assert steps["box"].statements[0].endswith("colocate_with => 'crate')")


def test_every_declared_table_has_a_placement() -> None:
    load_tables()
    steps = plan_distribution(metadata.sorted_tables)
    assert {step.table for step in steps} == set(metadata.tables)
    asked = {step.table: " ".join(step.statements) for step in steps}
    for table in metadata.sorted_tables:
        by_client = is_tenant_table(table) and "directory" not in table.info
        assert ("create_distributed_table" in asked[table.name]) == by_client, table.name


def test_an_append_only_table_is_distributed_with_its_partitions() -> None:
    some = MetaData(naming_convention=metadata.naming_convention)
    append_only_table(
        "log", Column("a", String(9)), Column("b", String(9)), key=("a", "b"), partitions=2, metadata=some
    )
    (step,) = plan_distribution(some.sorted_tables)
    assert step.statements[0] == "SELECT create_distributed_table('log', 'client_id', colocate_with => 'none')"


async def test_distributing_is_idempotent(empty: str) -> None:
    await make_tables(empty, some_tables(later=True))
    await run(empty, STAND_IN)
    await run(empty, "INSERT INTO pg_dist_node VALUES (0)")
    everything = {"country": False, "crate": False, "piece": False, "queue": False, "ticket": False}
    assert distribute(empty, some_tables()) == everything
    assert distribute(empty, some_tables()) == dict.fromkeys(everything, True)
    assert distribute(empty, some_tables(later=True)) == dict.fromkeys(everything, True) | {"box": False}
    placed = await run(empty, "SELECT logicalrelid::text FROM pg_dist_partition ORDER BY at")
    assert [row[0] for row in placed] == ["country", "crate", "piece", "queue", "ticket", "box"]
    assert (await run(empty, "SELECT current_setting('citus.propagate_set_commands')"))[0][0] == "local"


async def test_obstacles_are_reported_before_any_change(empty: str) -> None:
    await make_tables(empty, some_tables())
    with pytest.raises(NotDistributable, match="does not have the extension citus"):
        distribute(empty, some_tables())
    await run(empty, STAND_IN)
    with pytest.raises(NotDistributable, match="citus_set_coordinator_host"):
        distribute(empty, some_tables())
    await run(empty, "INSERT INTO pg_dist_node VALUES (0)")
    await run(empty, "INSERT INTO pg_dist_partition VALUES ('ticket', 'h', 's')")
    with pytest.raises(NotDistributable, match="ticket is distributed and should be local"):
        distribute(empty, some_tables())
    assert (await run(empty, "SELECT count(*) FROM pg_dist_partition"))[0][0] == 1


async def test_a_role_without_access_to_all_rows_is_refused(empty: str) -> None:
    owner = empty.replace(
        f"{cluster().url(role='postgres').partition('@')[0]}@", f"{cluster().url().partition('@')[0]}@"
    )
    await run(owner, STAND_IN)
    await run(owner, "INSERT INTO pg_dist_node VALUES (0)")
    with pytest.raises(NotDistributable, match="bound by row-level security"):
        distribute(owner, some_tables())


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_the_command_refuses_a_database_without_citus_in_one_line(database_url: str) -> None:
    result = CliRunner().invoke(command_line, ["db", "distribute", "--database", database_url])
    assert result.exit_code == 1
    assert result.output.startswith("not distributed: this database does not have the extension citus")
    assert result.output.count("\n") == 1


def test_the_command_refuses_sqlite() -> None:
    result = CliRunner().invoke(command_line, ["db", "distribute", "--database", "sqlite:///none.db"])
    assert (result.exit_code, result.output.startswith("not distributed: SQLite runs on one machine")) == (1, True)


def test_the_command_previews_its_changes() -> None:
    result = CliRunner().invoke(command_line, ["db", "distribute", "--dry-run"])
    assert "-- user_account: local (sign-in is by e-mail alone)" in result.output
    assert "SELECT create_distributed_table('delivery_order', 'client_id', colocate_with => " in result.output
