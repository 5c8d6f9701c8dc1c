"""Moments, days and times of day in requests, each read from one text format.

Values that cannot be processed are refused: moments without an offset, numbers, and years at the ends of the
calendar, which do not exist in other time zones (docs/decisions/requests.md).
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

FIRST_YEAR, LAST_YEAR = 2, 9998
"""Range of years in requests. It excludes the calendar's first and last year, where adding a day or offset overflows.
"""

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.\d+)?([Zz]|[+-]\d\d:\d\d)?", re.ASCII)
_LOST_PLUS = re.compile(r".*T\d\d:\d\d:\d\d(?:\.\d+)? \d\d:\d\d", re.ASCII)
_TIME_OF_DAY = re.compile(r"\d\d:\d\d(?::\d\d)?", re.ASCII)


class TextValue:
    """Parsing of a request type from text.

    Python values of the type are accepted within the same bounds.
    """

    def __init__(self, read: Callable[[Any], Any], **json_schema: Any) -> None:
        self._read = read
        self._json_schema = json_schema

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema with this parser as its only validator."""
        return core_schema.no_info_plain_validator_function(
            self._read, serialization=core_schema.plain_serializer_function_ser_schema(_to_text, when_used="json")
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return the published JSON Schema."""
        return {"type": "string", **self._json_schema}


def _to_text(value: date | time) -> str:
    return value.isoformat().replace("+00:00", "Z")


def read_moment(value: Any) -> datetime:
    """Parse an RFC 3339 moment with seconds and offset. Raises `PydanticCustomError`."""
    moment = value if isinstance(value, datetime) else _parse_moment(value)
    if moment.tzinfo is None:
        raise PydanticCustomError("timezone_aware", "an offset is needed")
    try:
        year = moment.astimezone(UTC).year
    except OverflowError:
        year = 0
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise PydanticCustomError("datetime_out_of_range", "out of range", _YEARS)
    return moment


def _parse_moment(value: Any) -> datetime:
    if not isinstance(value, str):
        raise PydanticCustomError("datetime_type", "a moment is a text")
    if _LOST_PLUS.fullmatch(value):
        raise PydanticCustomError("datetime_plus_lost", "the plus sign became a space")
    match = _MOMENT.fullmatch(value)
    if match is None:
        raise PydanticCustomError("datetime_parsing", "not of RFC 3339")
    try:
        return datetime.fromisoformat(value.upper())
    except ValueError:
        raise PydanticCustomError("datetime_parsing", "no such moment") from None


def read_day(value: Any) -> date:
    """Parse a calendar day, YYYY-MM-DD. Raises `PydanticCustomError`."""
    day = value if isinstance(value, date) and not isinstance(value, datetime) else _parse_day(value)
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise PydanticCustomError("date_out_of_range", "out of range", _YEARS)
    return day


def _parse_day(value: Any) -> date:
    if not isinstance(value, str):
        raise PydanticCustomError("date_type", "a day is a text")
    try:
        if _DAY.fullmatch(value):
            return date.fromisoformat(value)
    except ValueError:
        pass
    raise PydanticCustomError("date_parsing", "no such day")


def read_time_of_day(value: Any) -> time:
    """Parse a local time, HH:MM or HH:MM:SS. Raises `PydanticCustomError`."""
    if isinstance(value, time) and value.tzinfo is None:
        return value
    if not isinstance(value, str):
        raise PydanticCustomError("time_type", "a time of day is a text")
    try:
        if _TIME_OF_DAY.fullmatch(value):
            return time.fromisoformat(value)
    except ValueError:
        pass
    raise PydanticCustomError("time_parsing", "no such time")


_YEARS = {"first_year": FIRST_YEAR, "last_year": LAST_YEAR}

Moment = Annotated[datetime, TextValue(read_moment, format="date-time")]
"""A point in time with the offset that was sent."""
Day = Annotated[date, TextValue(read_day, format="date")]
"""A calendar day without a time zone."""
TimeOfDay = Annotated[time, TextValue(read_time_of_day)]
"""A local time without an offset. JSON Schema's `time` format does not apply, because it requires one."""
