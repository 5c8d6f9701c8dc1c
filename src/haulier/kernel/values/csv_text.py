"""CSV documents (RFC 4180) that are safe to open in a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import date
from enum import Enum
from typing import Any

FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""First characters that a spreadsheet may run as a formula. Some Chinese and Japanese settings also treat the
full-width forms of = + - @ as such."""


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a document with a header line. None becomes an empty cell."""
    document = io.StringIO()
    writer = csv.writer(document, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([[_cell(value) for value in row] for row in rows])
    return document.getvalue()


def _cell(value: Any) -> Any:
    """Convert a value to a cell.

    Text that a spreadsheet would run as a formula gets a leading apostrophe.
    """
    if value is None:
        return ""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_BEGINS) else value
