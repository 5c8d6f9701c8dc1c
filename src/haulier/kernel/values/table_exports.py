"""Exports of lists to spreadsheets: request, answer and conversion to cells."""

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
"""Maximum number of rows in a document."""
MEDIA_TYPES = {"csv": "text/csv", "xlsx": XLSX_TYPE}
TABLE_FORMS = Representations(
    tuple(Representation(media_type, name) for name, media_type in MEDIA_TYPES.items()),
    data_field="document",
    media_type_field="media_type",
)
"""Forms of an export, for the REST route of its operation."""
OWN_FIELD = "custom_fields."
"""Prefix of the columns of custom fields."""


class TableRequest(Request):
    """Format and part of an export."""

    format: Literal["csv", "xlsx"] = "csv"
    """Format of the document."""
    limit: int = Field(default=MAX_EXPORTED, ge=1, le=MAX_EXPORTED)
    """Maximum number of records in the document."""
    cursor: Annotated[str, Field(max_length=MAX_CURSOR_LENGTH)] | None = None
    """Continue after the previous document. Use its `next_cursor`."""


class TableExport(Answer):
    """A list as a document."""

    result: bool = True
    document: Annotated[str, doc("Document in base64.")]
    media_type: Annotated[str, doc("Media type of the document.", "text/csv")]
    count: Annotated[int, doc("Number of records in the document.")]
    next_cursor: Annotated[str | None, doc("Cursor for the next document; null at the end.")]


def table_export(
    records: Sequence[Any], columns: Sequence[str], own: Sequence[str], kind: str, next_cursor: str | None
) -> TableExport:
    """Return records with `custom_fields` as an export.

    `columns` are the fields to export, `own` the custom fields.
    """
    return TableExport(
        document=record_document(records, columns, own, kind),
        media_type=MEDIA_TYPES[kind],
        count=len(records),
        next_cursor=next_cursor,
    )


def record_document(records: Sequence[Any], columns: Sequence[str], own: Sequence[str], kind: str) -> str:
    """Return the document of a `table_export`."""
    lines = [[*(getattr(each, name) for name in columns), *map(each.custom_fields.get, own)] for each in records]
    return table_document([*columns, *(f"{OWN_FIELD}{name}" for name in own)], lines, kind)


def table_document(header: Sequence[str], rows: Sequence[Sequence[Any]], kind: str) -> str:
    """Return rows with their header as a document in base64.

    `kind` is a key of `MEDIA_TYPES`.
    """
    cells = [[table_cell(value) for value in row] for row in rows]
    document = csv_text(header, cells).encode() if kind == "csv" else write_xlsx(header, cells)
    return b64encode(document).decode()


def table_cell(value: Any) -> Any:
    """Convert a value to a cell.

    Moments use ISO 8601. Lists of plain words are separated by spaces; other lists and documents become JSON.
    """
    if value is UNSET:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list) and all(isinstance(each, str) and " " not in each for each in value):
        return " ".join(value)
    return msgspec.json.encode(value).decode() if isinstance(value, list | dict) else value
