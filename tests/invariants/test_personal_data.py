"""Columns with personal data are declared for exports and erasures."""

from sqlalchemy import Column, Float, Integer, MetaData, String

from haulier.app import load_tables
from haulier.kernel.data.personal_data import (
    PersonKey,
    RecordKind,
    list_personal_data,
    list_undeclared_columns,
    personal_data,
    plain_columns,
    retained,
)
from haulier.kernel.data.tables import UTCDateTime, tenant_table


def test_every_column_with_possible_personal_data_is_declared() -> None:
    load_tables()
    assert list_undeclared_columns() == []


def test_declared_columns_exist_in_their_table() -> None:
    load_tables()
    faults = [
        f"{held.table.name}.{name}"
        for held in list_personal_data()
        for name in (*(held.erased or ()), *held.gives, *held.secret)
        if name not in held.table.c
    ]
    assert faults == []


def test_a_table_with_row_deletion_needs_no_column_declarations() -> None:
    metadata = MetaData()
    kinds = {"name": String, "lat": Float, "count": Integer, "at": UTCDateTime}
    tables = {
        table: tenant_table(table, *(Column(name, kind) for name, kind in kinds.items()), metadata=metadata)
        for table in "abcd"
    }
    assert list_undeclared_columns(metadata) == [f"{table}.{name}" for table in "abcd" for name in ("name", "lat")]
    personal_data(tables["a"], RecordKind.USERS, by={"id": PersonKey.USER})
    personal_data(tables["b"], RecordKind.USERS, by={"id": PersonKey.USER}, erased={"name": None})
    retained(RecordKind.USERS, tables["c"].c["at"], default_days=1)
    plain_columns(tables["d"], "name")
    assert list_undeclared_columns(metadata) == ["b.lat", "d.lat"]
