"""Tables that people send as files: CSV in whatever form a spreadsheet wrote it, and XLSX."""

import csv
import io
from collections.abc import Iterator
from datetime import date, datetime, time
from itertools import islice
from typing import Any, Literal
from zipfile import BadZipFile, ZipFile

from haulier.late_import import LateModule

python_calamine: Any = LateModule("python_calamine")

TableFormat = Literal["csv", "xlsx"]
MAX_COLUMNS = 200
MAX_UNPACKED_BYTES = 200_000_000
"""An XLSX is a ZIP archive: a small file may unpack to one that fills the memory."""
_SAMPLE = 20_000


class UnreadableTable(ValueError):
    """A file that is no table; the text says why, in English, for logs."""


def read_table(document: bytes, kind: TableFormat, *, exact: bool = False) -> tuple[list[str], Iterator[list[str]]]:
    """The header of a file's (first) table, and its rows, each as wide as the header. Rows without any text are left out.

    Cells beyond the header are dropped; with `exact` they are a fault.

    Raises `UnreadableTable`. A file of a hundred thousand rows takes a second: read it in a thread.
    """
    rows = _read_csv(document) if kind == "csv" else _read_xlsx(document)
    header = [name.strip() for name in next(rows, [])]
    while header and not header[-1]:
        header.pop()
    if not header or len(header) > MAX_COLUMNS:
        raise UnreadableTable(f"a table has 1 to {MAX_COLUMNS} named columns")
    return header, (_as_wide(row, len(header), exact) for row in rows if any(cell.strip() for cell in row))


def _as_wide(row: list[str], width: int, exact: bool) -> list[str]:
    if exact and any(cell.strip() for cell in row[width:]):
        raise UnreadableTable("a row has more cells than the header")
    return [cell.strip() for cell in islice([*row, *[""] * (width - len(row))], width)]


def _read_csv(document: bytes) -> Iterator[list[str]]:
    text = _decoded(document)
    try:
        dialect: Any = csv.Sniffer().sniff(text[:_SAMPLE].split("\n", 1)[0], delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=dialect.delimiter)
    try:
        yield from reader
    except csv.Error as fault:
        raise UnreadableTable(str(fault)) from None


def _decoded(document: bytes) -> str:
    """Spreadsheets write UTF-8 with a mark, UTF-16, or the code page of their country; the last is read as Western."""
    if document.startswith((b"\xff\xfe", b"\xfe\xff")):
        return document.decode("utf-16", "replace")
    try:
        return document.decode("utf-8-sig")
    except UnicodeDecodeError:
        return document.decode("cp1252", "replace")


def _read_xlsx(document: bytes) -> Iterator[list[str]]:
    try:
        with ZipFile(io.BytesIO(document)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MAX_UNPACKED_BYTES:
                raise UnreadableTable("the workbook unpacks to too much")
        sheet = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(document)).get_sheet_by_index(0)
    except (BadZipFile, python_calamine.CalamineError, OSError, IndexError) as fault:
        raise UnreadableTable(str(fault)) from None
    for row in sheet.iter_rows():
        yield [_cell_text(cell) for cell in row]


def _cell_text(cell: Any) -> str:
    """A cell as its reader sees it: house numbers and postal codes are whole numbers to a spreadsheet."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return cell.isoformat() if isinstance(cell, date | datetime | time) else str(cell)
