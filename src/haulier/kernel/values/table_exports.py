"""Lists as documents for spreadsheets: what an export is asked with, what it answers, and how values become cells."""

from base64 import b64encode
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET
from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Representation, Representations, Request
from haulier.kernel.values.csv_text import csv_text
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH
from haulier.kernel.values.xlsx import XLSX_TYPE, write_xlsx

MAX_EXPORTED = 5_000
"""Rows in one document."""
MEDIA_TYPES = {"csv": "text/csv", "xlsx": XLSX_TYPE}
TABLE_FORMS = Representations(
    tuple(Representation(media_type, name) for name, media_type in MEDIA_TYPES.items()),
    data_field="document",
    media_type_field="media_type",
)
"""The forms of an export, for the REST route of its operation."""
OWN_FIELD = "custom_fields."
"""What the columns of a client's own fields begin with."""


class TableRequest(Request):
    """The form of an export, and which part of it."""

    format: Literal["csv", "xlsx"] = "csv"
    """Format of the document."""
    limit: int = Field(default=MAX_EXPORTED, ge=1, le=MAX_EXPORTED)
    """Records in one document."""
    cursor: Annotated[str, Field(max_length=MAX_CURSOR_LENGTH)] | None = None
    """Goes on after the last document: its `next_cursor`."""


class TableExport(Answer):
    """A list as a document."""

    result: bool = True
    document: Annotated[str, doc("The document, in base64.")]
    media_type: Annotated[str, doc("Its media type.", "text/csv")]
    count: Annotated[int, doc("Records in it.")]
    next_cursor: Annotated[str | None, doc("Where to go on; null at the end.")]


def table_export(
    records: Sequence[Any], columns: Sequence[str], own: Sequence[str], kind: str, next_cursor: str | None
) -> TableExport:
    """Records that have `custom_fields` as an export: some columns of theirs, and the fields of the client's own."""
    return TableExport(
        document=record_document(records, columns, own, kind),
        media_type=MEDIA_TYPES[kind],
        count=len(records),
        next_cursor=next_cursor,
    )


def record_document(records: Sequence[Any], columns: Sequence[str], own: Sequence[str], kind: str) -> str:
    """As `table_export`, the document alone."""
    lines = [[*(getattr(each, name) for name in columns), *map(each.custom_fields.get, own)] for each in records]
    return table_document([*columns, *(f"{OWN_FIELD}{name}" for name in own)], lines, kind)


def table_document(header: Sequence[str], rows: Sequence[Sequence[Any]], kind: str) -> str:
    """Rows with their header as a document of a kind of `MEDIA_TYPES`, in base64."""
    cells = [[table_cell(value) for value in row] for row in rows]
    document = csv_text(header, cells).encode() if kind == "csv" else write_xlsx(header, cells)
    return b64encode(document).decode()


def table_cell(value: Any) -> Any:
    """A value as a cell: moments in ISO 8601, lists of plain words with spaces between, other lists and documents as JSON."""
    if value is UNSET:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list) and all(isinstance(each, str) and " " not in each for each in value):
        return " ".join(value)
    return msgspec.json.encode(value).decode() if isinstance(value, list | dict) else value
