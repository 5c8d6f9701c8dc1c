"""Rows as a CSV document (RFC 4180), for people who open it in a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import date
from enum import Enum
from typing import Any

FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Beginnings that a spreadsheet may run as a formula. The full-width forms of = + - @ are included: some Chinese and Japanese
settings read them as the ASCII signs."""


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A document with a header line. What is None is an empty cell."""
    document = io.StringIO()
    writer = csv.writer(document, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([[_cell(value) for value in row] for row in rows])
    return document.getvalue()


def _cell(value: Any) -> Any:
    """A value as a cell. A text that a spreadsheet would run as a formula gets an apostrophe before it."""
    if value is None:
        return ""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_BEGINS) else value
