"""The tenant filter adds predicates and refuses unsafe statements."""

import apsw
import pytest
from sqlalchemy import (
    bindparam,
    column,
    delete,
    exists,
    func,
    insert,
    literal_column,
    select,
    table,
    text,
    tuple_,
    union_all,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable
from tests.kernel.data.sample_tables import OURS, THEIRS, crates, fill_tables, labels, pieces, sample_metadata, zones

from haulier.kernel.data.statements import Statements
from haulier.kernel.data.tenancy import TenantFilterCompiler, TenantIsolationError
from haulier.kernel.data.unit_of_work import Database, UniqueConflict

PACKED = select(pieces.c.name).join(crates, crates.c.id == pieces.c.crate_id).order_by(pieces.c.name)
OF_FULL = select(crates.c.id).where(crates.c.name == "full")
crate, other = crates.alias(), crates.alias("other")


def names(rows: list) -> list[str]:
    return [row[0] for row in rows]


@pytest.mark.parametrize("client", [OURS, THEIRS])
@pytest.mark.parametrize(
    "statement",
    [
        select(pieces.c.name),
        select(pieces.c.name).distinct(),
        PACKED,
        select(pieces.c.name).select_from(pieces.outerjoin(crates, crates.c.id == pieces.c.crate_id)),
        select(pieces.c.name).where(pieces.c.crate_id.in_(OF_FULL)),
        select(pieces.c.name).where(exists().where(crate.c.id == pieces.c.crate_id)),
        select(pieces.c.name).where(pieces.c.crate_id == OF_FULL.limit(1).scalar_subquery()),
        select(PACKED.subquery().c.name),
        select(PACKED.cte("packed").c.name),
        select(pieces.alias("p").c.name),
        select(pieces.c.name).where(pieces.c.crate_id == other.c.id),
        union_all(select(pieces.c.name), PACKED.order_by(None)),
        select(func.coalesce(select(labels.c.text).where(labels.c.piece_id == pieces.c.id).scalar_subquery(), "none")),
    ],
    ids=lambda value: None if isinstance(value, int) else "select",
)
async def test_a_read_finds_only_rows_of_its_client(stock: Database, statement, client):
    await fill_tables(stock)
    theirs = str(OURS + THEIRS - client)
    async with stock.read(client) as work:
        found = names(await work.all(statement))
    assert found
    assert not [name for name in found if name.endswith(theirs)]


async def test_the_other_side_of_an_outer_join_is_absent_instead_of_foreign(stock: Database):
    await fill_tables(stock)
    statement = (
        select(pieces.c.name, crates.c.id).outerjoin(crates, crates.c.id == pieces.c.crate_id).order_by(pieces.c.name)
    )
    async with stock.read(OURS) as work:
        assert [tuple(row) for row in await work.all(statement)] == [("bolt1", 1), ("nut1", 1), ("stray1", None)]


@pytest.mark.parametrize(
    ("statement", "works"),
    [
        (update(crates).values(weight_g=1), True),
        (delete(labels), True),
        (update(pieces).where(pieces.c.crate_id == crates.c.id).values(name=crates.c.name), True),
        (update(pieces).values(name=select(crates.c.name).where(crates.c.id == 3).scalar_subquery()), False),
        (delete(pieces).where(pieces.c.crate_id.in_(select(crates.c.id))), True),
        (delete(pieces).where(pieces.c.id.in_([4, 5, 6])), True),
    ],
)
async def test_a_write_leaves_other_clients_rows_unchanged(stock: Database, statement, works):
    await fill_tables(stock)

    async def theirs() -> list[tuple]:
        async with stock.read(THEIRS) as work:
            return [tuple(row) for each in (crates, pieces, labels) for row in await work.all(select(each))]

    before = await theirs()
    async with stock.write(OURS) as work:
        if works:
            await work.run(statement)
        else:  # the other client's name is not found, and a name may not be absent
            with pytest.raises(Exception, match=r"(?i)null"):
                await work.run(statement)
            work.mark_for_rollback()
    assert await theirs() == before


async def test_cross_tenant_work_sees_all_rows_and_states_its_reason(stock: Database):
    await fill_tables(stock)
    async with stock.read(OURS) as work:
        everyone = work.without_tenant_filter("the test wants to")
        assert await everyone.value(select(func.count()).select_from(pieces)) == 6
        assert await work.value(select(func.count()).select_from(pieces)) == 3
        with pytest.raises(ValueError, match="reason"):
            work.without_tenant_filter("")
    async with stock.write(None) as nobody:
        id = await nobody.without_tenant_filter("a test").insert(crates, client_id=THEIRS, name="given")
        with pytest.raises(UniqueConflict):
            await nobody.without_tenant_filter("a test").insert(crates, client_id=THEIRS, name="given")
        nobody.mark_for_rollback()
    assert id


REFUSED = [
    select(crates.c.id).select_from(crates.outerjoin(pieces, crates.c.id == pieces.c.crate_id, full=True)),
    update(crates).values(client_id=THEIRS),
    insert(crates).values(name="a", client_id=THEIRS),
    insert(crates).values([{"name": "a"}, {"name": "b"}]),
    insert(pieces).from_select(["client_id", "name"], select(crates.c.id, crates.c.name)),
    select(zones.c.id).where(text("id IN (SELECT id FROM test_crate)")),
    select(literal_column("(select count(*) from test_crate)")),
    select(text("*")).select_from(text("test_crate")),
    select(column("id")).select_from(table("test_crate", column("id"))),
    text("SELECT 1 FROM test_crate"),
]


@pytest.mark.parametrize("dialect", [sqlite.dialect, postgresql.dialect])
@pytest.mark.parametrize("statement", REFUSED)
def test_statements_the_tenant_filter_cannot_analyse_are_refused(statement, dialect):
    with pytest.raises(TenantIsolationError):
        Statements(dialect(), tenant_filtered=True).prepare(statement)


def test_harmless_sql_text_is_accepted():
    prepared, _ = Statements(sqlite.dialect(), tenant_filtered=True).prepare(select(literal_column("1"), text("2")))
    assert not prepared.tenant


def test_a_missing_tenant_filter_is_detected(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(TenantFilterCompiler, "_predicates", lambda self, sources: [])
    with pytest.raises(TenantIsolationError, match="without its predicate"):
        Statements(sqlite.dialect(), tenant_filtered=True).prepare(select(crates))


def test_sql_text_built_from_values_is_refused():
    pairs = select(crates.c.id).where(tuple_(crates.c.id, crates.c.name).in_([(1, "a")]))
    with pytest.raises(TypeError):
        Statements(sqlite.dialect(), tenant_filtered=True).prepare(pairs)


def test_a_module_constant_is_compiled_once_and_an_ad_hoc_statement_once_per_shape():
    statements = Statements(sqlite.dialect(), tenant_filtered=True)
    constant = select(crates.c.id).where(crates.c.id == bindparam("id"))
    assert statements.prepare(constant)[0] is statements.prepare(constant)[0]

    def found(name: str, limit: int):
        return statements.prepare(select(crates.c.id).where(crates.c.name == name).limit(limit))

    (first, _), (second, literals) = found("a", 1), found("b", 2)
    assert first is second
    assert first.bind({**literals, "_client": 7}) == ("b", 7, 2, 0)


def test_ad_hoc_statements_do_not_accumulate():
    statements = Statements(sqlite.dialect(), tenant_filtered=True)
    for number in range(200):
        statements.prepare(select(crates.c.id).where(crates.c.weight_g == number))
    assert len(statements._by_identity) <= 1
    assert len(statements._by_shape) == 1


@pytest.mark.parametrize(
    ("statement", "index"),
    [
        (select(pieces).where(pieces.c.crate_id == 1), "ix_test_piece_crate_id (crate_id=?)"),
        (select(pieces).where(pieces.c.id.in_([1, 2])), "INTEGER PRIMARY KEY"),
        (select(crates).where(crates.c.name == "full"), "(client_id=? AND name=?)"),
        (select(crates, pieces).outerjoin(pieces, pieces.c.crate_id == crates.c.id).limit(1), "(crate_id=?)"),
        (delete(pieces).where(pieces.c.crate_id == 1), "ix_test_piece_crate_id (crate_id=?)"),
    ],
)
def test_the_tenant_predicate_does_not_make_sqlite_scan_a_whole_client(statement, index):
    connection = apsw.Connection(":memory:")
    for each in sample_metadata.sorted_tables:
        for part in (CreateTable(each), *map(CreateIndex, each.indexes)):
            connection.execute(str(part.compile(dialect=sqlite.dialect())))
    prepared, literals = Statements(sqlite.dialect(), tenant_filtered=True).prepare(statement)
    values = prepared.bind({**literals, "_client": OURS})
    plan = " / ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {prepared.sql}", values))
    assert index in plan
