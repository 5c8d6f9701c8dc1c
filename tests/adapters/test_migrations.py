"""Migrations, on both databases, there and back."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
import pytest
from sqlalchemy import select
from tests.contexts.otep.factories import an_event
from tests.support.databases import CHOSEN, cluster

from haulier.adapters import migrations
from haulier.adapters.database import database_for
from haulier.app import load_tables
from haulier.contexts.analytics.public import (
    Dimension,
    Measure,
    SumQuestion,
    find_sum_faults,
    fold_sums,
    load_sums,
)
from haulier.contexts.analytics.sums.store import sum_entries
from haulier.contexts.control_tower.public import sum_truths
from haulier.contexts.fleet.drivers.store import drivers
from haulier.contexts.identity.accounts.store.tables import clients
from haulier.contexts.orders.delivery_orders.store.tables import orders
from haulier.contexts.otep.timeline.contract import Location, ProofOfDelivery, TrackingEvent
from haulier.contexts.routes.routes.store import routes
from haulier.contexts.routes.stops.store import stops
from haulier.contexts.tracking.timelines.rules import make_number_key
from haulier.contexts.tracking.timelines.store.events import insert_events
from haulier.contexts.tracking.timelines.store.tables import aliases, events, numbers, subjects
from haulier.kernel.background.job_table import job_table
from haulier.kernel.background.outbox import enqueue_jobs
from haulier.kernel.data.tables import Placement, metadata, placement_of, tenant_tables
from haulier.kernel.data.unit_of_work import UnitOfWork


@pytest.fixture(params=CHOSEN)
def nothing(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database in which nobody ever did anything."""
    load_tables()
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'new.db'}"
    else:
        with cluster().nothing() as url:
            yield url


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history whose one revision, which was generated, makes everything that is declared."""
    load_tables()
    folder = tmp_path_factory.mktemp("generated") / "migrations"
    with pytest.MonkeyPatch.context() as monkeypatch:
        _without_revisions(folder, monkeypatch)
        file = migrations.autogenerate_revision("everything at once")
    assert file == folder / "versions" / "0001_everything_at_once.py"
    return folder


@pytest.fixture
def everything(generated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that history, in force."""
    folder = tmp_path / "everything"
    shutil.copytree(generated, folder)
    monkeypatch.setattr(migrations, "MIGRATIONS_FOLDER", folder)
    return folder


@pytest.fixture
def one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A history whose one revision makes a table, in force."""
    folder = tmp_path / "one_table"
    _without_revisions(folder, monkeypatch)
    (folder / "versions" / "0001_one_table.py").write_text(
        "import sqlalchemy as sa\n"
        "from alembic import op\n\n"
        "revision, down_revision = '0001', None\n\n\n"
        "def upgrade() -> None:\n"
        "    op.create_table('parcel', sa.Column('id', sa.Integer(), primary_key=True))\n"
    )


def _without_revisions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(migrations.MIGRATIONS_FOLDER, folder, ignore=shutil.ignore_patterns("0*.py", "__pycache__"))
    monkeypatch.setattr(migrations, "MIGRATIONS_FOLDER", folder)


def test_a_key_other_than_declared_is_a_difference(nothing: str):
    migrations.upgrade_schema(nothing, "0016")
    by_client = {table.name for table in metadata.sorted_tables if placement_of(table) is Placement.DISTRIBUTED}
    keys = {difference[1] for difference in migrations.schema_differences(nothing) if difference[0] == "modify_key"}
    assert keys == (set() if nothing.startswith("sqlite") else by_client & tables(nothing))


def tables(url: str) -> set[str]:
    async def asked() -> frozenset[str]:
        database = database_for(url)
        await database.open()
        try:
            return await database.table_names()
        finally:
            await database.close()

    return set(asyncio.run(asked())) - {"alembic_version", "sqlite_sequence", "sqlite_stat1", "sqlite_stat4"}


def test_going_back_leaves_every_event_whole_in_its_document(nothing: str):
    delivery = ProofOfDelivery(recipient="Ms Roy")
    event = an_event("delivered", location=Location(city="Ürümqi", address="1 Front St", lat=43.8), pod=delivery)

    async def told() -> None:
        database = database_for(nothing)
        await database.open()
        async with database.write(1) as work:
            await insert_events(work, [(1, event)])
        await database.close()

    async def document() -> str:
        database = database_for(nothing)
        await database.open()
        try:
            async with database.read(1) as work:
                return await work.value(select(events.c.document))
        finally:
            await database.close()

    migrations.upgrade_schema(nothing)
    asyncio.run(told())
    assert "event_id" not in asyncio.run(document())
    migrations.downgrade_schema(nothing, "0005")
    assert msgspec.json.decode(asyncio.run(document()), type=TrackingEvent) == event


def test_numbers_that_were_stored_before_there_were_keys_and_a_directory_are_in_both(nothing: str):
    stored = ["ab-12 34", "AB\u20119", "--", "sp1", *(f"x {at}" for at in range(5_000))]

    async def write(work: UnitOfWork) -> None:
        rows = [
            {"tracking_number": f"{number}/{work.client_id}", "profile": "parcel", "created_at": datetime.now(UTC)}
            for number in stored
        ]
        ids = await work.insert_many(subjects, rows)
        await work.insert_many(
            aliases, [{"number": number, "subject_id": id} for number, id in zip(stored, ids, strict=True)]
        )

    async def keys(work: UnitOfWork) -> list[list[str]]:
        columns = subjects.c.number_key, aliases.c.number_key
        rows = [await work.all(select(column).order_by(column.table.c.id)) for column in columns]
        return [[row.number_key for row in column] for column in rows]

    async def number_owners(work: UnitOfWork) -> set[tuple[str, int]]:
        return {(row.number, row.owner_client_id) for row in await work.all(select(numbers))}

    migrations.upgrade_schema(nothing, "0009")
    for client in (1, 2):
        asyncio.run(_for_client(nothing, client, write))
    migrations.upgrade_schema(nothing)
    for client in (1, 2):
        assert asyncio.run(_for_client(nothing, client, keys)) == [
            [make_number_key(f"{number}/{client}") for number in stored],
            [make_number_key(number) for number in stored],
        ]
    owners = asyncio.run(_for_client(nothing, 1, number_owners))
    assert owners == {(f"{number}/{client}", client) for number in stored for client in (1, 2)}


def test_orders_with_a_window_only_get_its_day_in_the_time_zone_of_their_client(nothing: str):
    zones = {1: "America/Toronto", 2: "Europe/Paris"}
    start = datetime(2026, 6, 11, 22, 30, tzinfo=UTC)

    async def write(work: UnitOfWork) -> None:
        zone = zones[work.client_id or 0]
        at = {"created_at": start, "updated_at": start}
        client = {"code": zone, "name": zone, "time_zone": zone, "currency": "EUR", "modules": [], "features": []}
        await work.insert(clients, **client, settings={}, created_at=start)
        order = {"type": "D", "status": 0, "fulfilment": "self_delivery", "third_party_held": False, "search": ""}
        load = {"service_time_s": 0, "weight_g": 0, "package_count": 1, "skills": [], "references": {}}
        number = f"HL{work.client_id}"
        await work.insert(orders, **order, **load, **at, tracking_number=number, window_start=start)

    async def days(work: UnitOfWork) -> list[str]:
        return [str(row.scheduled_date) for row in await work.all(select(orders.c.scheduled_date))]

    migrations.upgrade_schema(nothing, "0100")
    for client in zones:
        asyncio.run(_for_client(nothing, client, write))
    migrations.upgrade_schema(nothing)
    assert {zones[client]: asyncio.run(_for_client(nothing, client, days)) for client in zones} == {
        "America/Toronto": ["2026-06-11"],
        "Europe/Paris": ["2026-06-12"],
    }


def test_orders_are_counted_for_the_driver_of_their_route_with_or_without_an_account(nothing: str):
    at = datetime(2026, 6, 11, 22, 30, tzinfo=UTC)
    dana, ben = 3, 4  # Dana signs in as user 4

    async def write(work: UnitOfWork) -> None:
        for id, user_id in ((dana, 4), (ben, None)):
            values = {"name": "Dana", "skills": [], "skill_words": "", "active": True, "created_at": at}
            await work.insert(drivers, id=id, user_id=user_id, **values)
        route = {"day": at.date(), "depot_id": 1, "status": "started", "created_at": at, "driver_id": ben}
        stop = {"kind": "delivery", "position": 1, "status": "delivered", "on_route": True}
        await work.insert(stops, route_id=await work.insert(routes, **route), order_id=2, **stop)
        for id, user_id in ((1, 4), (2, None)):
            order = {"type": "D", "status": 4, "fulfilment": "self_delivery", "third_party_held": False, "search": ""}
            load = {"service_time_s": 0, "weight_g": 0, "package_count": 1, "skills": [], "references": {}}
            dates = {"created_at": at, "updated_at": at, "counted_day": at.date()}
            price = {"total": 900, "currency": "EUR"}
            await work.insert(
                orders, id=id, **order, **load, **dates, driver_id=user_id, price=price, tracking_number=f"HL{id}"
            )
            entry = {"day": at.date(), "measure": "orders", "status": "4", "driver_id": user_id or 0, "minor": 900}
            nothing_else = {"customer_id": 0, "contractor_id": 0, "reason": "", "judged": 0, "on_time": 0}
            await work.insert(sum_entries, **entry, **nothing_else, currency="EUR", count=1)
        await fold_sums(work)

    async def counts(work: UnitOfWork) -> tuple[dict[int, int], dict[Any, Any]]:
        june = date(2026, 6, 1), date(2026, 6, 30)
        asked = SumQuestion(measures=(Measure.ORDERS,), since=june[0], until=june[1], dimension=Dimension.DRIVER)
        rows = await load_sums(work, asked)
        faults = await find_sum_faults(work, {Measure.ORDERS: sum_truths()[Measure.ORDERS]})
        return {row.subject_id: row.count for row in rows if row.count}, faults

    migrations.upgrade_schema(nothing, "0101")
    asyncio.run(_for_client(nothing, 1, write))
    migrations.upgrade_schema(nothing)
    assert asyncio.run(_for_client(nothing, 1, counts)) == ({dana: 1, ben: 1}, {})


def test_waiting_jobs_of_subscribers_keep_their_layer_and_function(nothing: str):
    layer = "news:haulier.contexts.orders.batches.jobs"
    before = [f"{layer}.rows.on_created", f"{layer}.on_updated", "batch.create"]

    async def write(work: UnitOfWork) -> None:
        await enqueue_jobs(work, before, {}, client_id=1, run_at=datetime.now(UTC))

    async def kinds(work: UnitOfWork) -> list[str]:
        return [row.kind for row in await work.all(select(job_table.c.kind).order_by(job_table.c.id))]

    migrations.upgrade_schema(nothing, "0110")
    asyncio.run(_for_client(nothing, 1, write))
    migrations.upgrade_schema(nothing)
    assert asyncio.run(_for_client(nothing, 1, kinds)) == [f"{layer}.on_created", f"{layer}.on_updated", "batch.create"]


async def _for_client(url: str, client_id: int, body: Callable[[UnitOfWork], Awaitable[Any]]) -> Any:
    database = database_for(url)
    await database.open()
    try:
        async with database.write(client_id) as work:
            return await body(work)
    finally:
        await database.close()


def test_a_generated_revision_makes_what_is_declared_and_goes_back(nothing: str, everything: Path):
    assert "tables.UTCDateTime()" in (everything / "versions" / "0001_everything_at_once.py").read_text()
    assert (
        "tables.TenantKey('id', name=op.f('pk_delivery_order'))"
        in (everything / "versions" / "0001_everything_at_once.py").read_text()
    )
    assert migrations.current_revision(nothing) is None
    assert migrations.pending_revisions(nothing) == ["0001"]
    migrations.upgrade_schema(nothing)
    assert (migrations.current_revision(nothing), migrations.pending_revisions(nothing)) == ("0001", [])
    assert tables(nothing) == set(metadata.tables)
    assert migrations.schema_differences(nothing) == []
    migrations.downgrade_schema(nothing, "base")
    assert tables(nothing) == set()


@pytest.mark.usefixtures("everything")
def test_a_second_revision_holds_only_what_is_new():
    second = migrations.autogenerate_revision("nothing new").read_text()
    assert "down_revision: str | Sequence[str] | None = '0001'" in second
    assert "create_table" not in second


@pytest.mark.usefixtures("one_table")
def test_several_processes_that_migrate_at_once_do_it_once(nothing: str):
    with ThreadPoolExecutor(3) as threads:
        list(threads.map(migrations.upgrade_schema, [nothing] * 3))
    assert (migrations.current_revision(nothing), tables(nothing)) == ("0001", {"parcel"})


@pytest.mark.usefixtures("one_table")
async def test_it_can_be_called_within_a_running_loop(nothing: str):
    migrations.upgrade_schema(nothing)
    assert migrations.current_revision(nothing) == "0001"


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)  # SQLite has no row-level security
async def test_every_tenant_table_is_protected_on_postgresql(database_url: str):
    connection = await asyncpg.connect(database_url)
    sql = "SELECT relname FROM pg_class WHERE relrowsecurity AND relforcerowsecurity"
    protected = {row["relname"] for row in await connection.fetch(sql)}
    await connection.close()
    declared = {table.name for table in tenant_tables() if table.info.get("row_level_security", True)}
    assert declared
    assert declared <= protected
    words_alone = [{c.name for c in table.c} for table in tenant_tables() if table.name not in declared]
    assert words_alone == [{"id", "client_id", "words"}] * len(words_alone)
