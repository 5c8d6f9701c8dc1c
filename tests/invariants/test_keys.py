"""Keys of client rows begin with the client, so that they can be distributed."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Column, Index, MetaData, String, Table, UniqueConstraint
from sqlalchemy.dialects import postgresql

from haulier.app import load_tables
from haulier.kernel.data.tables import (
    CLIENT_ID,
    Id,
    Placement,
    append_only_table,
    directory_table,
    key_columns,
    metadata,
    partial_unique_index,
    placement_of,
    shared_table,
    tenant_table,
)

WHY = (
    "{name} of {table} does not begin with client_id. A database that is distributed by client keeps each client's rows on"
    " one node, and no node knows the rows of the others: it can promise nothing for the whole platform. Begin it with"
    " client_id, or declare a `directory_table` when it must hold on the whole platform."
)


def faults(tables: MetaData) -> Iterator[str]:
    """Yield the reasons why a distributed database would refuse the tables."""
    for table in tables.sorted_tables:
        if table.info.get("placement") is None:
            yield f"{table.name} was not made by a maker of `kernel/data/tables.py`, so nobody knows where its rows go"
        elif placement_of(table) is Placement.DISTRIBUTED:
            keys = {"the primary key": key_columns(table, postgresql.dialect())} | dict(_unique(table))
            yield from (WHY.format(name=name, table=table.name) for name, key in keys.items() if key[0] != CLIENT_ID)
            yield from (
                f"{table.name} refers to {key.target_fullname} by {key.parent.name} alone: a key between rows of a client is"
                " (client_id, …) to (client_id, id), for only those are on the same node"
                for key in table.foreign_keys
                if key.constraint is None or next(iter(key.constraint.columns)).name != CLIENT_ID
            )


def _unique(table: Table) -> Iterator[tuple[str, tuple[str, ...]]]:
    found: list[Any] = [constraint for constraint in table.constraints if isinstance(constraint, UniqueConstraint)]
    found += [index for index in table.indexes if index.unique]
    for each in found:
        yield str(each.name), tuple(column.name for column in each.columns)


def test_keys_of_tenant_tables_start_with_the_client() -> None:
    load_tables()
    assert list(faults(metadata)) == []


@pytest.mark.parametrize(
    "items",
    [
        (Column("code", String(10), unique=True),),
        (Column("code", String(10)), UniqueConstraint("code", "client_id")),
        (Column("code", String(10)), Index("uq_thing_code", "code", unique=True)),
    ],
)
def test_any_other_key_is_refused_with_the_reason(items: tuple[Any, ...]) -> None:
    some = MetaData(naming_convention=metadata.naming_convention)
    tenant_table("thing", *items, metadata=some)
    (fault,) = faults(some)
    assert "of thing does not begin with client_id" in fault
    assert "directory_table" in fault


def test_a_table_without_a_tenancy_declaration_is_refused() -> None:
    some = MetaData()
    Table("stray", some, Column("id", Id, primary_key=True))
    assert "stray was not made by a maker" in next(faults(some))


def test_generated_tables_are_accepted() -> None:
    some = MetaData(naming_convention=metadata.naming_convention)
    things = tenant_table("thing", Column("code", String(10)), UniqueConstraint("client_id", "code"), metadata=some)
    partial_unique_index("uq_thing_old", "code IS NULL", things.c.code)
    append_only_table("log", Column("a", Id), Column("b", Id), key=("a", "b"), metadata=some)
    directory_table("code", Column("code", String(10), unique=True), why="asked for by code", metadata=some)
    shared_table("everybodys", Column("code", String(10), unique=True), metadata=some)
    assert list(faults(some)) == []


def test_a_directory_table_states_its_reason() -> None:
    load_tables()
    assert [t.name for t in metadata.sorted_tables if "directory" in t.info and len(t.info["directory"]) < 10] == []
    with pytest.raises(ValueError, match="a directory needs a reason"):
        directory_table("secret", why="", metadata=MetaData())
