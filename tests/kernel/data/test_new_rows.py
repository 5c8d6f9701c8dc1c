"""New rows are equal to the stored ones without being read back."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select
from tests.kernel.data.sample_tables import OURS, crates, zones

from haulier.kernel.data.new_rows import stored_row
from haulier.kernel.data.unit_of_work import Database

TORONTO = datetime(2026, 6, 10, 8, 0, 0, 123456, tzinfo=ZoneInfo("America/Toronto"))
NOTES = {"list": [1, "zwei", None], "nested": {"ü": 1.5}, "at": TORONTO, 7: ("a", "b")}


@pytest.mark.parametrize(
    "values",
    [
        {"name": "a", "weight_g": 5, "packed_at": TORONTO, "notes": NOTES},
        {"name": "b", "weight_g": 100, "packed_at": TORONTO.astimezone(UTC), "notes": None},
        {"name": "c", "weight_g": 0},
    ],
)
async def test_a_new_row_equals_the_row_read_back(stock: Database, values: dict[str, object]) -> None:
    async with stock.write(OURS) as work:
        id = await work.insert(crates, **values)
        (read,) = await work.all(select(crates))
        made = stored_row(crates, {**values, "id": id, "client_id": OURS})
    assert made == read
    assert made._fields == read._fields
    assert made.packed_at is None or made.packed_at.utcoffset() == read.packed_at.utcoffset()


def test_required_columns_without_a_default_must_be_given() -> None:
    with pytest.raises(TypeError, match=r"test_crate: .*: client_id, weight_g"):
        stored_row(crates, {"id": 1, "name": "a"})


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(TypeError, match=r"test_zone: .*: colour"):
        stored_row(zones, {"id": 1, "name": "north", "colour": "red"})
