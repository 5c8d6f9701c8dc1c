"""Tables in files: CSV with any encoding and delimiter, and XLSX.

Read in a reader process.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from itertools import islice
from typing import Any, Literal, NamedTuple
from unicodedata import normalize
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile, ZipFile

from msgspec import Struct

from haulier.kernel.file_reading import (
    MEGABYTE,
    FileLimit,
    FileLimitReached,
    PackedRows,
    ReadingLimits,
    UnreadableFile,
    pack_rows,
    reading_job,
)
from haulier.kernel.values.spreadsheet_cells import strip_armour
from haulier.kernel.values.text_encodings import TextHints, decode_text
from haulier.late_import import LateModule

python_calamine: Any = LateModule("python_calamine")
defused_xml: Any = LateModule("defusedxml.ElementTree")

TableFormat = Literal["csv", "xlsx"]
MAX_COLUMNS = 200
_DELIMITERS = ",;\t|"
_SEPARATOR_LINE = re.compile(r"\s*\"?sep=(.)\"?[ \t]*(?:\r\n?|\n)", re.IGNORECASE)
_LINE = 20_000
_INVISIBLE = "\ufeff\u200b\u2060"
_NO_LIMITS, _NO_HINTS = ReadingLimits(), TextHints()


class UnreadableTable(UnreadableFile):
    """A file that is not a table. The English message is for logs."""


class FormatQuestion(Struct, frozen=True):
    """Format of a table, and how to decode a CSV."""

    format: TableFormat
    text: TextHints = TextHints()


class TableQuestion(Struct, frozen=True):
    """Format of a table, maximum number of rows, and how to decode a CSV."""

    format: TableFormat
    most_rows: int
    text: TextHints = TextHints()


class ReadTable(Struct, frozen=True):
    """A table: header, other rows, and the encoding of a CSV."""

    header: list[str]
    rows: PackedRows
    encoding: str | None = None


class NamedRows(Struct, frozen=True):
    """Rows of a file by column name, and the encoding of a text file."""

    rows: list[dict[str, Any]]
    encoding: str | None = None


class OpenTable(NamedTuple):
    """A table that is being read."""

    header: list[str]
    rows: Iterator[list[str]]
    encoding: str | None


@reading_job(question=TableQuestion, answer=ReadTable)
def read_table_file(content: bytes, question: TableQuestion, limits: ReadingLimits) -> ReadTable:
    """Read at most `most_rows` + 1 rows of a table. Raises `UnreadableTable`."""
    table = read_table(content, question.format, text=question.text, limits=limits)
    return ReadTable(table.header, pack_rows(islice(table.rows, question.most_rows + 1)), table.encoding)


def read_table(
    document: bytes,
    kind: TableFormat,
    *,
    text: TextHints = _NO_HINTS,
    exact: bool = False,
    limits: ReadingLimits = _NO_LIMITS,
) -> OpenTable:
    """Return the header and rows of a file's first table.

    Rows are as wide as the header; empty ones are skipped.

    Cells are normalized (NFC). Cells beyond the header are dropped, or an error with `exact`. This decodes foreign
    files, so call it in reading jobs only. Raises `UnreadableTable`, `UnreadableFile` with the message id for a wrong
    encoding, and `FileLimitReached` for too many cells or unpacked bytes.
    """
    encoding = None
    if kind == "csv":
        decoded = decode_text(document, text)
        found, encoding = _read_csv(decoded.text), decoded.encoding
    else:
        found = _read_xlsx(document, limits)
    rows = _counted(found, limits.cells)
    header = [_clean_cell(name) for name in next(rows, [])]
    while header and not header[-1]:
        header.pop()
    if not header or len(header) > MAX_COLUMNS:
        raise UnreadableTable(f"a table has 1 to {MAX_COLUMNS} named columns")
    wide = (_as_wide(row, len(header), exact) for row in rows if any(cell.strip() for cell in row))
    return OpenTable(header, wide, encoding)


def _counted(rows: Iterable[list[str]], most: int) -> Iterator[list[str]]:
    cells = 0
    for row in rows:
        cells += len(row)
        if cells > most:
            raise FileLimitReached(FileLimit.CELLS, most)
        yield row


def _as_wide(row: list[str], width: int, exact: bool) -> list[str]:
    if exact and any(cell.strip() for cell in row[width:]):
        raise UnreadableTable("a row has more cells than the header")
    return [_clean_cell(cell) for cell in islice([*row, *[""] * (width - len(row))], width)]


def _clean_cell(cell: str) -> str:
    text = strip_armour(cell.strip())
    return text if text.isascii() else strip_armour(normalize("NFC", text.strip(_INVISIBLE)).strip())


def _read_csv(text: str) -> Iterator[list[str]]:
    hint = _SEPARATOR_LINE.match(text)
    body = text[hint.end() :] if hint else text
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=hint[1] if hint else _delimiter(body))
    try:
        yield from reader
    except csv.Error as fault:
        raise UnreadableTable(str(fault)) from None


def _delimiter(text: str) -> str:
    """Return the delimiter that splits the first line into the most cells."""
    line = next(filter(str.strip, text.split("\n", 20)[:20]), "")[:_LINE]
    return max(_DELIMITERS, key=lambda sign: len(next(csv.reader([line], delimiter=sign), [])))


def _read_xlsx(document: bytes, limits: ReadingLimits) -> Iterator[list[str]]:
    try:
        _require_small_sheet(document, limits)
        sheet = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(document)).get_sheet_by_index(0)
    except (
        BadZipFile,
        python_calamine.CalamineError,
        OSError,
        LookupError,
        NotImplementedError,
        RuntimeError,
    ) as fault:
        raise UnreadableTable(str(fault)) from None
    for row in sheet.iter_rows():
        yield [_cell_text(cell) for cell in row]


_CELL_PLACE = re.compile(rb"""<(?:\w+:)?c\s[^<>]*?\br\s*=\s*["']([A-Z]{1,4})(\d{1,8})["']""")
_MAIN_PART = "xl/workbook.xml"
_WINDOW, _CELL_START = 1_000_000, 300


def _require_small_sheet(document: bytes, limits: ReadingLimits) -> None:
    """Check a workbook's unpacked size and the cell range of its first sheet.

    Its reader would expand the whole range.

    A sheet that hides its cell references from this check is stopped by the memory limit.
    """
    with ZipFile(io.BytesIO(document)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > limits.unpacked_mb * MEGABYTE:
            raise FileLimitReached(FileLimit.UNPACKED, limits.unpacked_mb)
        sheet = _first_sheet(archive)
        width = height = 0
        for column, row in _cell_places(archive, sheet) if sheet else ():
            width, height = max(width, _column_number(column)), max(height, int(row))
    if width * height > limits.cells:
        raise FileLimitReached(FileLimit.CELLS, limits.cells)


def _cell_places(archive: ZipFile, part: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield the cell references of a sheet in chunks, because it may be large."""
    with archive.open(part) as file:
        window = b""
        while more := file.read(_WINDOW):
            window = window[-_CELL_START:] + more
            yield from set(_CELL_PLACE.findall(window))


def _first_sheet(archive: ZipFile) -> str | None:
    """Return the part with the first sheet by the workbook's relations, or None."""
    try:
        book = defused_xml.fromstring(archive.read(_MAIN_PART), forbid_dtd=True)
        related = defused_xml.fromstring(archive.read("xl/_rels/workbook.xml.rels"), forbid_dtd=True)
    except (KeyError, ParseError, ValueError):
        return None
    first = next((each for each in book.iter() if each.tag.endswith("}sheet")), None)
    wanted = first is not None and next((value for name, value in first.items() if name.endswith("}id")), None)
    target = next((each.get("Target") or "" for each in related if each.get("Id") == wanted), "")
    part = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
    return part if part in archive.namelist() else None


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _cell_text(cell: Any) -> str:
    """Convert a cell to text.

    Spreadsheets store house numbers and postal codes as numbers.
    """
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return cell.isoformat() if isinstance(cell, date | datetime | time) else str(cell)
