"""Moments, days and times of day in requests."""

from datetime import UTC, date, datetime, time
from typing import Any

from hypothesis import given
from hypothesis.strategies import datetimes, timezones

from haulier.kernel.operations.codec import encode_json, parse_request
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.moments import FIRST_YEAR, LAST_YEAR, Day, Moment, TimeOfDay


class Visit(Request):
    at: Moment | None = None
    day: Day | None = None
    opens: TimeOfDay | None = None


def fault(field: str, value: Any) -> str | None:
    """Return the error code of a value.

    It must be the same in a body and in a query.
    """
    codes = {_fault(encode_json({field: value}), {})}
    if isinstance(value, str):
        codes |= {_fault(b"", {field: value}), _fault(b"{}", {field: value})}
    (code,) = codes
    return code


def _fault(body: bytes, texts: dict[str, str]) -> str | None:
    try:
        parse_request(Visit, body, texts)
    except OperationError as error:
        (only,) = error.field_errors
        return only.code
    return None


def test_a_time_keeps_its_utc_offset() -> None:
    read = parse_request(Visit, b'{"at": "2026-06-10T10:30:00.25-04:00"}', {})
    assert isinstance(read, Visit)
    assert read.at == datetime(2026, 6, 10, 14, 30, 0, 250_000, UTC)
    assert read.model_dump(mode="json")["at"] == "2026-06-10T10:30:00.250000-04:00"


def test_dates_and_times_of_day_are_parsed() -> None:
    read = parse_request(Visit, b'{"day": "2026-06-10"}', {"opens": "08:30"})
    assert isinstance(read, Visit)
    assert (read.day, read.opens) == (date(2026, 6, 10), time(8, 30))


def test_every_other_format_is_refused_with_an_error_code() -> None:
    expected = {
        ("at", 0): "field.datetime_type",
        ("at", "0"): "field.datetime_parsing",
        ("at", "1700000000"): "field.datetime_parsing",
        ("at", "2026-06-10"): "field.datetime_parsing",
        ("at", "2026-06-10T10:30Z"): "field.datetime_parsing",
        ("at", "2026-06-31T10:30:00Z"): "field.datetime_parsing",
        ("at", "2026-06-10T10:30:00"): "field.timezone_aware",
        ("at", "2026-06-10T10:30:00 02:00"): "field.datetime_plus_lost",
        ("at", "0001-01-01T00:00:00+14:00"): "field.datetime_out_of_range",
        ("at", "9999-12-31T23:59:59-14:00"): "field.datetime_out_of_range",
        ("at", "2026-06-10T10:30:00z"): None,
        ("at", "2026-06-10 10:30:00.123456789+02:00"): None,
        ("day", 86400): "field.date_type",
        ("day", "86400"): "field.date_parsing",
        ("day", "2026-02-29"): "field.date_parsing",
        ("day", "20260610"): "field.date_parsing",
        ("day", "2026-06-10T00:00:00Z"): "field.date_parsing",
        ("day", "9999-12-31"): "field.date_out_of_range",
        ("opens", 30600): "field.time_type",
        ("opens", "30600"): "field.time_parsing",
        ("opens", "08:30Z"): "field.time_parsing",
        ("opens", "24:00"): "field.time_parsing",
    }
    assert {each: fault(*each) for each in expected} == expected


@given(datetimes(timezones=timezones()))
def test_every_accepted_time_can_be_shown_in_any_time_zone(moment: datetime) -> None:
    if fault("at", moment.isoformat()) is None:
        assert FIRST_YEAR <= moment.astimezone(UTC).year <= LAST_YEAR
