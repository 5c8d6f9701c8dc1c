"""Rules for rows of files as requests, validated row by row."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from haulier.contexts.warehouse.products.contract import CreateProduct
from haulier.contexts.warehouse.stock_imports.contract import StockFileRow
from haulier.kernel.file_reading import ReadingLimits, reading_job
from haulier.kernel.operations.json_schemas import Schema
from haulier.kernel.operations.table_cells import cell_value
from haulier.kernel.operations.text_safety import replace_unstorable
from haulier.kernel.values.table_exports import OWN_FIELD
from haulier.kernel.values.table_files import FormatQuestion, NamedRows, read_table

_INTEGER: Schema = {"type": "integer"}
_COLUMNS: Mapping[str, Schema] = {
    **dict.fromkeys(("weight_g", "length_mm", "width_mm", "height_mm", "reorder_below", "unit_value_minor"), _INTEGER),
    "quantity": _INTEGER,
    "expires": {"type": "boolean"},
}
"""Types of columns that hold no text."""
PRODUCT_CODES = frozenset({"sku", "barcodes", "hs_code"})
STOCK_CODES = frozenset({"sku", "location", "lot", "serial"})
"""Code columns, which a spreadsheet can turn into numbers."""
_PLACE = ("sku", "location", "lot", "serial", "condition")
NAMED_TWICE = "(named twice)"
"""In the document of a row: the number of another row of the file that names the same items at the same location."""


@reading_job(question=FormatQuestion, answer=NamedRows)
def read_file_rows(document: bytes, question: FormatQuestion, limits: ReadingLimits) -> NamedRows:
    """Return the rows of a file by lower-case column name, without empty cells.

    Raises `UnreadableTable`.
    """
    header, rows, encoding = read_table(document, question.format, text=question.text, exact=True, limits=limits)
    names = [name.lower() for name in header]
    named = [
        replace_unstorable({name: cell for name, cell in zip(names, row, strict=True) if name and cell}) for row in rows
    ]
    return NamedRows(named, encoding)


def product_document(row: Mapping[str, str], own_fields: Mapping[str, Schema]) -> dict[str, Any]:
    """Return a row as the request of a new product."""
    document = _typed(row, CreateProduct.model_fields)
    document.pop("custom_fields", None)
    if "barcodes" in document:
        document["barcodes"] = row["barcodes"].replace(",", " ").replace(";", " ").split()
    own = {
        name: cell_value(own_fields.get(name, {}), cell)
        for column, cell in row.items()
        if (name := column.removeprefix(OWN_FIELD)) != column
    }
    return {**document, "custom_fields": own} if own else document


def stock_document(row: Mapping[str, str]) -> dict[str, Any]:
    """Return a row as `StockFileRow` takes it."""
    return _typed(row, StockFileRow.model_fields)


def _typed(row: Mapping[str, str], columns: Iterable[str]) -> dict[str, Any]:
    return {name: cell_value(_COLUMNS.get(name, {}), row[name]) for name in columns if name in row}


def mark_places_named_twice(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Mark rows that name the same items at the same location."""
    first: dict[tuple[str, ...], int] = {}
    marked = [dict(row) for row in rows]
    for at, row in enumerate(marked):
        defaults = {"condition": "good"}
        place = tuple(str(row.get(name, defaults.get(name, ""))).strip() for name in _PLACE)
        if (before := first.setdefault(place, at)) != at:
            row[NAMED_TWICE] = before + 1
            marked[before][NAMED_TWICE] = at + 1
    return marked
