"""Rules of records.

A circle is a few ranges of numbers, so an ordinary index finds its contents.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from math import asin, cos, degrees, floor, pi, radians, sin
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from haulier.contexts.datasets.datasets.rules import values_faults
from haulier.contexts.datasets.records.contract import FieldFilter, SearchDatasetRecords
from haulier.contexts.places.geocoding.rules.formats import UnreadAddress
from haulier.contexts.places.geocoding.rules.words import part_of_address
from haulier.kernel.data.full_text import owner_prefix
from haulier.kernel.data.personal_data import ERASED, PersonKey, PersonKeys, phone_digits
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.operations.json_schemas import CompiledSchema, compile_schema
from haulier.kernel.values.csv_text import csv_text
from haulier.kernel.values.geography import EARTH_RADIUS_M
from haulier.kernel.values.sort_keys import PRESENT, sort_key
from haulier.kernel.values.words import fold, fold_words
from haulier.kernel.values.xlsx import XLSX_TYPE, write_xlsx

BITS = 26
"""Bits per coordinate: cells of less than a metre, in numbers that JSON holds exactly."""
MAX_CELLS = 16
"""Approximate maximum number of squares that cover a circle."""
CellRange = tuple[int, int]


def place_cell(lat: float, lng: float) -> int:
    """Return the number of the cell that a place is in."""
    return _interleave(_row(lat, BITS), _column(lng, BITS))


def _row(lat: float, bits: int) -> int:
    return min(floor((lat + 90) / 180 * (1 << bits)), (1 << bits) - 1)


def _column(lng: float, bits: int) -> int:
    return floor((lng + 180) / 360 * (1 << bits)) % (1 << bits)


def _interleave(row: int, column: int) -> int:
    return _spread(row) << 1 | _spread(column)


def _spread(value: int) -> int:
    """Return a number with a zero after each of its bits."""
    for shift, mask in (
        (16, 0x0000FFFF0000FFFF),
        (8, 0x00FF00FF00FF00FF),
        (4, 0x0F0F0F0F0F0F0F0F),
        (2, 0x3333333333333333),
        (1, 0x5555555555555555),
    ):
        value = (value | value << shift) & mask
    return value


def circle_cells(lat: float, lng: float, radius_m: float) -> list[CellRange]:
    """Return cell ranges that cover every place within a radius, and some beyond."""
    bounds = _bounds(lat, radius_m)
    squares = next(found for bits in range(BITS, -1, -1) if (found := _squares(lng, bounds, bits)))
    return list(_merged(squares))


def _squares(lng: float, bounds: tuple[float, float, float], bits: int) -> list[CellRange]:
    """Return the squares of a size that cover a circle; none if too many."""
    south, north, half_width = bounds
    rows = range(_row(south, bits), _row(north, bits) + 1)
    columns = _columns(lng, half_width, bits)
    if len(rows) * len(columns) > MAX_CELLS:
        return []
    shift = 2 * (BITS - bits)
    squares = sorted(_interleave(row, column) for row in rows for column in columns)
    return [(square << shift, (square + 1 << shift) - 1) for square in squares]


def _bounds(lat: float, radius_m: float) -> tuple[float, float, float]:
    """Return the south and north edge of a circle, and half its width in degrees."""
    angle = radius_m / EARTH_RADIUS_M
    south, north = lat - degrees(angle), lat + degrees(angle)
    if south <= -90 or north >= 90 or angle >= pi / 2:
        return max(south, -90), min(north, 90), 180.0
    return south, north, degrees(asin(min(1.0, sin(angle) / cos(radians(lat)))))


def _columns(lng: float, half_width: float, bits: int) -> list[int]:
    count = 1 << bits
    if half_width >= 180:
        return list(range(min(count, MAX_CELLS + 1)))
    first = floor((lng - half_width + 180) / 360 * count)
    last = floor((lng + half_width + 180) / 360 * count)
    if last - first >= min(count, MAX_CELLS + 1):
        return list(range(min(count, MAX_CELLS + 1)))
    return sorted({column % count for column in range(first, last + 1)})


def _merged(ranges: list[CellRange]) -> Iterator[CellRange]:
    first, last = ranges[0]
    for begin, end in ranges[1:]:
        if begin == last + 1:
            last = end
        else:
            yield first, last
            first, last = begin, end
    yield first, last


MEDIA_TYPES = {"csv": "text/csv", "json": "application/json", "geojson": "application/geo+json", "xlsx": XLSX_TYPE}


class ExportedRecord(Protocol):
    """Exported fields of a record."""

    id: int
    values: dict[str, Any]
    lat: float | None
    lng: float | None


def export_document(kind: str, fields: Sequence[str], records: Sequence[ExportedRecord]) -> str:
    """Return records as a document; a workbook is in base64.

    It can be imported again, except that tables have no room for values beyond the fields.
    """
    match kind:
        case "csv" | "xlsx":
            header = ["id", *fields, "lat", "lng"]
            rows = [[r.id, *(_cell(r.values.get(name)) for name in fields), r.lat, r.lng] for r in records]
            return csv_text(header, rows) if kind == "csv" else b64encode(write_xlsx(header, rows)).decode()
        case "json":
            plain = [{"id": r.id, "values": r.values, "lat": r.lat, "lng": r.lng} for r in records]
            return msgspec.json.encode(plain).decode()
        case _:
            features = [_feature(r) for r in records if r.lat is not None]
            return msgspec.json.encode({"type": "FeatureCollection", "features": features}).decode()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return msgspec.json.encode(value).decode() if isinstance(value, dict | list) else value


def _feature(record: ExportedRecord) -> dict[str, Any]:
    point = {"type": "Point", "coordinates": [record.lng, record.lat]}
    return {"type": "Feature", "id": record.id, "geometry": point, "properties": record.values}


MAX_RECORD_KEY = 200


def record_key(part: Mapping[str, Any], value: Any) -> str | None:
    """Return the key of a record: text as it is, numbers in sort order; or None."""
    if isinstance(value, str):
        return f"{PRESENT}{value}" if len(value) <= MAX_RECORD_KEY else None
    return sort_key(part, value)


_TEXT_KEYS = (PersonKey.NAME, PersonKey.EMAIL)


def names_of(keys: PersonKeys) -> list[str]:
    """Return texts that identify a person: names, email addresses, phone digits."""
    texts = [str(value) for key in _TEXT_KEYS for value in keys.get(key, ())]
    return [*texts, *_digits(keys)]


def _digits(keys: PersonKeys) -> list[str]:
    return sorted(filter(None, (phone_digits(str(value)) for value in keys.get(PersonKey.PHONE, ()))))


def tells_of(text: str, keys: PersonKeys) -> bool:
    """Return True if a text has a person's name, email address or telephone number."""
    folded, digits = fold(text), "".join(c for c in text if c.isdecimal())
    names = (fold(str(value)) for key in _TEXT_KEYS for value in keys.get(key, ()))
    return any(name in folded for name in names) or any(number in digits for number in _digits(keys))


def values_tell_of(value: Any, keys: PersonKeys) -> bool:
    """Return True if any text within values identifies the person."""
    return any(tells_of(text, keys) for text in texts_within(value))


def texts_within(value: Any) -> Iterator[str]:
    """Return every text within some values."""
    if isinstance(value, str):
        yield value
    for member in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_within(member)


def without_person(value: Any, keys: PersonKeys) -> Any:
    """Return values with every text about the person replaced."""
    if isinstance(value, dict):
        return {name: without_person(member, keys) for name, member in value.items()}
    if isinstance(value, list):
        return [without_person(member, keys) for member in value]
    return ERASED if isinstance(value, str) and tells_of(value, keys) else value


def words_without_person(words: str, keys: PersonKeys) -> str:
    """Return a record's words without those that would find the person."""
    gone = set(fold_words(*names_of(keys)))
    return " ".join(word for word in words.split() if word.partition("_")[2] not in gone)


SLOTS = ("k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8")
"""Columns of the sort keys of indexed fields."""
MAX_ADDRESS = 300
_NAMED_PARTS = frozenset({"city", "region", "postal_code", "country"})


class PlaceStatus:
    """Sources of a record's place."""

    NONE = "none"
    GIVEN = "given"
    EXACT = "exact"
    APPROXIMATE = "approximate"
    NOT_FOUND = "not_found"


class PlaceFault:
    """Reasons why a place was not found."""

    NO_ADDRESS = "no_address"
    NO_COUNTRY = "no_country"
    UNKNOWN = "unknown"


class RecordDraft(Struct, frozen=True):
    """A record to write."""

    values: dict[str, Any]
    lat: float | None = None
    lng: float | None = None


class Shape(Struct, frozen=True):
    """Prepared schema and fields of a dataset."""

    dataset_id: int
    schema: CompiledSchema
    version: int
    slots: tuple[str | None, ...]
    key_field: str | None
    address_fields: tuple[str, ...]

    def faults(self, draft: RecordDraft) -> list[FieldError]:
        """Return the faults of a record, each with its field."""
        faults = values_faults(self.schema, draft.values, "values")
        if (draft.lat is None) != (draft.lng is None):
            faults.append(FieldError("lng" if draft.lng is None else "lat", "field.missing"))
        if not faults and self.key_field and self.key(draft.values) is None:
            faults.append(FieldError(f"values.{self.key_field}", "field.key_too_long", {"most": MAX_RECORD_KEY}))
        return faults

    def key(self, values: Mapping[str, Any]) -> str | None:
        """Return the key of a record; None without a key field."""
        return record_key(self._part(self.key_field), values.get(self.key_field)) if self.key_field else None

    def _part(self, field: str) -> Mapping[str, Any]:
        return self.schema.fields.get(field, {})

    def sort_keys(self, values: Mapping[str, Any]) -> dict[str, str | None]:
        """Return the sort keys by their columns; None in a column that no field has."""
        return {
            column: (sort_key(self._part(name), values.get(name)) if name else None)
            for column, name in zip(SLOTS, self.slots, strict=True)
        }

    def column_of(self, field: str) -> str | None:
        """Return the column for filtering and sorting by a field, or None."""
        if field == self.key_field:
            return "key"
        return SLOTS[self.slots.index(field)] if field in self.slots else None

    def filter_key(self, field: str, value: Any) -> str | None:
        """Return a value as stored in its field's column; None if impossible."""
        as_key = record_key if field == self.key_field else sort_key
        return as_key(self._part(field), value)

    def words(self, values: Mapping[str, Any]) -> str:
        """Return the words by which a record is found, as the word table holds them."""
        owner = owner_prefix(self.dataset_id)
        return " ".join([f"{owner}{word}" for word in fold_words(*_texts(values))])

    def address(self, values: Mapping[str, Any]) -> str:
        """Return the address of a record in one line; empty where it has none."""
        parts = (str(values[name]).strip() for name in self.address_fields if values.get(name) not in (None, ""))
        return ", ".join(part for part in parts if part)[:MAX_ADDRESS]

    def written_address(self, values: Mapping[str, Any], home_country: str | None) -> UnreadAddress | None:
        """Return the parsed address of a record, or None.

        Fields with known names give their part, others a text.
        """
        parts: dict[str, str] = {}
        texts: list[str] = []
        for name in self.address_fields:
            text = str(values.get(name) or "").strip()[:MAX_ADDRESS]
            part = part_of_address(name)
            if part in _NAMED_PARTS and text:
                parts[part] = text
            elif text and part != "unit":
                texts.append(text)
        if not parts and not texts:
            return None
        return UnreadAddress(", ".join(texts)[:MAX_ADDRESS], **parts, home_country=home_country)

    def columns(self, draft: RecordDraft) -> dict[str, Any]:
        """Return the stored columns of a validated record."""
        return {
            "key": self.key(draft.values),
            "values": draft.values,
            "schema_version": self.version,
            **place_columns(draft.lat, draft.lng, PlaceStatus.GIVEN),
            **self.sort_keys(draft.values),
        }


def place_columns(lat: float | None, lng: float | None, status: str) -> dict[str, Any]:
    """Return the stored columns of a place and its source."""
    how = {"place_quality": None, "place_fault": None}
    if lat is None or lng is None:
        return {"lat": None, "lng": None, "cell": None, "place": PlaceStatus.NONE, **how}
    return {"lat": lat, "lng": lng, "cell": place_cell(lat, lng), "place": status, **how}


def make_shape(
    dataset_id: int,
    schema: Mapping[str, Any],
    version: int,
    slots: Sequence[str | None],
    key_field: str | None,
    address_fields: Sequence[str],
) -> Shape:
    """Return the shape of a dataset's records."""
    return Shape(dataset_id, compile_schema(schema), version, tuple(slots), key_field, tuple(address_fields))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from _texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from _texts(member)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)


BOUNDS = {"equals": "equals", "at_least": "least", "at_most": "most", "begins_with": "begins_with"}
"""Filter fields with one value, and their names in the search."""


def filter_fields(shape: Shape, wanted: FieldFilter) -> dict[str, Any]:
    """Return a valid filter in the search's terms."""
    found: dict[str, Any] = {"column": shape.column_of(wanted.field), "present": wanted.present}
    for name, part in BOUNDS.items():
        value = getattr(wanted, name)
        if value is not None:
            found[part] = shape.filter_key(wanted.field, value)
    if wanted.any_of is not None:
        found["any_of"] = tuple(shape.filter_key(wanted.field, value) or "" for value in wanted.any_of)
    return found


def search_faults(shape: Shape, request: SearchDatasetRecords) -> list[FieldError]:
    """Return fields that are not indexed, and values that their fields cannot have."""
    faults = [
        fault for index, each in enumerate(request.filters) for fault in _filter_faults(shape, each, f"filters.{index}")
    ]
    if request.sort is not None and shape.column_of(request.sort) is None:
        faults.append(_not_indexed(shape, request.sort, "sort"))
    return faults


def _filter_faults(shape: Shape, wanted: FieldFilter, at: str) -> Iterator[FieldError]:
    if shape.column_of(wanted.field) is None:
        yield _not_indexed(shape, wanted.field, f"{at}.field")
        return
    values = [(name, getattr(wanted, name)) for name in BOUNDS]
    values += [(f"any_of.{index}", value) for index, value in enumerate(wanted.any_of or ())]
    for name, value in values:
        if value is not None and shape.filter_key(wanted.field, value) is None:
            yield FieldError(f"{at}.{name}", "field.filter_value", {"name": wanted.field})


def _not_indexed(shape: Shape, field: str, at: str) -> FieldError:
    known = ", ".join(name for name in (shape.key_field, *shape.slots) if name)
    return FieldError(at, "field.not_indexed", {"name": field, "known": known or "-"})
