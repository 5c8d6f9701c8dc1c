"""Rules of imports."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.datasets.imports.contract import FileFormat
from haulier.contexts.datasets.records.rules import RecordDraft
from haulier.kernel.file_reading import PackedRows, ReadingLimits, UnreadableFile, pack_rows, reading_job
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.operations.json_schemas import CompiledSchema
from haulier.kernel.operations.table_cells import cell_number, cell_value
from haulier.kernel.values.table_files import UnreadableTable, read_table
from haulier.kernel.values.text_encodings import TextHints, decode_text

LAT, LNG = "lat", "lng"
_ID_OF_EXPORT = "id"


class FaultyRow(Struct, frozen=True):
    """A row that is no record."""

    faults: tuple[FieldError, ...]


Row = RecordDraft | FaultyRow


class RecordFileQuestion(Struct, frozen=True):
    """The format of a file of records, and how to decode a text."""

    format: FileFormat
    text: TextHints = TextHints(encoding="utf-8")


class ReadRecords(Struct, frozen=True):
    """The rows of a file before they are validated, and the encoding of a text."""

    rows: PackedRows
    encoding: str | None


@reading_job(question=RecordFileQuestion, answer=ReadRecords)
def read_raw_rows(content: bytes, question: RecordFileQuestion, limits: ReadingLimits) -> ReadRecords:
    """Return the rows of a file before they are validated. Raises `UnreadableFile`."""
    if question.format == "xlsx":
        return ReadRecords(pack_rows(_table_rows(content, "xlsx", limits)), None)
    decoded = decode_text(content, question.text)
    return ReadRecords(pack_rows(_raw_rows(decoded.text.encode(), question.format, limits)), decoded.encoding)


def _raw_rows(content: bytes, kind: FileFormat, limits: ReadingLimits) -> Iterator[Any]:
    if kind == "csv":
        return _table_rows(content, kind, limits)
    try:
        document = msgspec.json.decode(content)
    except (msgspec.DecodeError, RecursionError):
        raise UnreadableFile("field.file_no_json") from None
    if kind == "geojson":
        features = document.get("features") if isinstance(document, dict) else None
        if not isinstance(features, list):
            raise UnreadableFile("field.file_no_features")
        return iter(features)
    if not isinstance(document, list):
        raise UnreadableFile("field.file_no_list")
    return iter(document)


def _table_rows(content: bytes, kind: Any, limits: ReadingLimits) -> Iterator[Any]:
    try:
        header, rows, _ = read_table(content, kind, limits=limits)
        for row in rows:
            yield dict(zip(header, row, strict=True))
    except UnreadableTable:
        raise UnreadableFile("field.file_no_table") from None


def read_row(kind: str, raw: Any, schema: CompiledSchema) -> Row:
    """Return a row of a file as an unvalidated record."""
    if not isinstance(raw, dict):
        return FaultyRow((FieldError("", "field.row_no_object"),))
    match kind:
        case "csv" | "xlsx":
            return _from_cells(raw, schema)
        case "geojson":
            return _from_feature(raw)
        case _:
            return _from_object(raw, schema)


def _from_cells(cells: Mapping[str, str], schema: CompiledSchema) -> Row:
    """Return a record from cells by field type; empty ones are absent."""
    own = {name: text for name, text in cells.items() if text and (name in schema.fields or name not in _BESIDE)}
    beside = {name: cells.get(name, "") for name in (LAT, LNG) if name not in schema.fields}
    values = {name: cell_value(schema.fields.get(name, {}), text) for name, text in own.items()}
    places: dict[str, float] = {}
    for name, text in beside.items():
        number = cell_number(text, float)
        if text and number is None:
            return FaultyRow((FieldError(name, "field.float_parsing"),))
        if number is not None:
            places[name] = number
    return _placed(values, places.get(LAT), places.get(LNG))


_BESIDE = frozenset({LAT, LNG, _ID_OF_EXPORT})


def _from_object(raw: Mapping[str, Any], schema: CompiledSchema) -> Row:
    """Return a record from values, or from `values` and a place as in exports."""
    if isinstance(raw.get("values"), dict) and "values" not in schema.fields:
        return _placed(raw["values"], raw.get(LAT), raw.get(LNG))
    return RecordDraft(dict(raw))


def _from_feature(raw: Mapping[str, Any]) -> Row:
    values, geometry = raw.get("properties"), raw.get("geometry")
    if not isinstance(values, dict):
        return FaultyRow((FieldError("properties", "field.row_no_object"),))
    if geometry is None:
        return RecordDraft(values)
    at = geometry.get("coordinates") if isinstance(geometry, dict) and geometry.get("type") == "Point" else None
    if not isinstance(at, list) or len(at) < 2:
        return FaultyRow((FieldError("geometry", "field.row_no_point"),))
    return _placed(values, at[1], at[0])


def _placed(values: dict[str, Any], lat: Any, lng: Any) -> Row:
    faults = tuple(
        FieldError(name, "field.not_on_earth", {"most": most})
        for name, value, most in ((LAT, lat, 90), (LNG, lng, 180))
        if value is not None
        and not (isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= most)
    )
    return FaultyRow(faults) if faults else RecordDraft(values, lat, lng)
