"""Rows become answers and requests become rows by equal names."""

from types import SimpleNamespace
from typing import Annotated, Any

import pytest
from msgspec import UNSET, Struct, UnsetType
from pydantic import Field
from sqlalchemy import select
from tests.kernel.data.sample_tables import OURS, crates, pieces, sample_metadata
from tests.support.databases import make_tables

from haulier.adapters.database import database_for
from haulier.kernel.data.statements import Row
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.operations.records import columns, record


class CrateRow(Row):
    id: int
    name: str
    weight_g: int


class Crate(Answer):
    id: int
    name: Annotated[str, doc("What is written on it.")]
    weight_g: int
    pieces: int = 0
    note: str | UnsetType = UNSET


class PackCrate(Request):
    name: str = Field(max_length=20)
    weight_g: int = 100
    comment: str | None = None


class Plain(Struct):
    id: int
    name: str
    weight_g: int


class TestRecord:
    def test_equal_names_are_copied_and_the_rest_keep_their_defaults(self) -> None:
        row = Plain(id=3, name="full", weight_g=1200)
        assert record(Crate, row) == Crate(id=3, name="full", weight_g=1200, pieces=0, note=UNSET)

    def test_computed_values_are_added_and_take_precedence(self) -> None:
        row = Plain(id=3, name="full", weight_g=1200)
        assert record(Crate, row, pieces=2, name="FULL") == Crate(id=3, name="FULL", weight_g=1200, pieces=2)

    def test_a_missing_required_field_is_refused(self) -> None:
        class Nameless(Struct):
            id: int
            weight_g: int

        with pytest.raises(TypeError, match="the row has no name"):
            record(Crate, Nameless(id=1, weight_g=2))
        assert record(Crate, Nameless(id=1, weight_g=2), name="late").name == "late"

    def test_a_computed_value_without_a_field_is_refused(self) -> None:
        with pytest.raises(TypeError, match="Crate has no field colour"):
            record(Crate, Plain(id=1, name="a", weight_g=2), colour="red")

    def test_additional_row_columns_are_ignored(self) -> None:
        class Wide(Plain):
            secret: str = "x"

        assert not hasattr(record(Crate, Wide(id=1, name="a", weight_g=2)), "secret")

    def test_an_optional_field_with_a_columns_name_can_be_omitted(self) -> None:
        class Noted(Plain):
            note: str

        row = Noted(id=3, name="full", weight_g=1200, note="for the office")
        assert record(Crate, row).note == "for the office"
        assert record(Crate, row, without={"note"}).note is UNSET
        assert record(Crate, row, without=("note", "pieces"), name="FULL").name == "FULL"

    def test_omitting_a_required_field_is_refused(self) -> None:
        row = Plain(id=3, name="full", weight_g=1200)
        with pytest.raises(TypeError, match="Crate cannot be without name"):
            record(Crate, row, without={"name"})
        with pytest.raises(TypeError, match="Crate cannot be without note"):
            record(Crate, row, without={"note"}, note="both")
        with pytest.raises(TypeError, match="Crate has no field colour"):
            record(Crate, row, without={"colour"})

    def test_a_price_is_copied_like_any_other_field(self) -> None:
        class Parcel(Priced):
            id: int
            fee_minor: Annotated[int | UnsetType, price(PriceFamily.LOCAL_DELIVERY, "What it costs.")] = UNSET

        class ParcelRow(Struct):
            id: int
            fee_minor: int

        shown = record(Parcel, ParcelRow(id=1, fee_minor=995))
        assert (shown.fee_minor, shown.price_hidden) == (995, UNSET)

    async def test_statement_rows_become_records_on_both_databases(self, database_url: str) -> None:
        await make_tables(database_url, sample_metadata)
        stock = database_for(database_url)
        await stock.open()
        try:
            async with stock.write(OURS) as work:
                await work.insert(crates, **columns(crates, PackCrate(name="full", weight_g=7)))
                by_type = await work.first(select(crates), CrateRow)
                assert record(Crate, by_type) == Crate(id=1, name="full", weight_g=7)
                with pytest.raises(TypeError, match="the row has no name, weight_g"):
                    record(Crate, await work.first(select(crates.c.id)))
        finally:
            await stock.close()


class TestColumns:
    def test_a_request_gives_only_the_columns_of_its_names(self) -> None:
        values = columns(crates, PackCrate(name="full", comment="heavy"))
        assert values == {"name": "full", "weight_g": 100}

    def test_plain_values_are_accepted_and_computed_ones_take_precedence(self) -> None:
        given: dict[str, Any] = {"name": "full", "colour": "red"}
        assert columns(crates, given, weight_g=5, name="FULL") == {"name": "FULL", "weight_g": 5}

    def test_a_required_column_without_a_value_is_refused(self) -> None:
        with pytest.raises(TypeError, match="test_crate: no value for name"):
            columns(crates, {"weight_g": 5})

    def test_columns_that_are_nullable_or_have_a_default_need_no_value(self) -> None:
        assert columns(pieces, {"name": "nut"}) == {"name": "nut"}

    def test_a_computed_value_without_a_column_is_refused(self) -> None:
        with pytest.raises(TypeError, match="test_crate has no column colour"):
            columns(crates, PackCrate(name="full"), colour="red")

    def test_the_id_and_the_tenant_cannot_be_set(self) -> None:
        given = {"id": 7, "client_id": 2, "name": "full"}
        assert columns(crates, given) == {"name": "full"}

    def test_the_client_id_of_an_oauth_request_is_not_the_tenant(self) -> None:
        class StartGrant(Request):
            client_id: str
            name: str

        request = StartGrant(client_id="an-application", name="full")
        assert columns(crates, request) == {"name": "full"}
        assert columns(crates, request, client_id=2) == {"name": "full", "client_id": 2}


def test_a_plain_object_is_used_as_a_row_by_its_annotations() -> None:
    class Thing(SimpleNamespace):
        id: int
        name: str
        weight_g: int

    assert record(Crate, Thing(id=1, name="a", weight_g=2)) == Crate(id=1, name="a", weight_g=2)
