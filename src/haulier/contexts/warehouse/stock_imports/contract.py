"""Request and response models for imports."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from haulier.contexts.warehouse.products.contract import Sku
from haulier.contexts.warehouse.stock.contract import QUANTITY_MAX, Condition, Lot
from haulier.contexts.warehouse.warehouses.contract import Barcode, Reference
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.client_keys import ClientKey
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.batch_states import ImportRowState
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest
from haulier.kernel.values.table_uploads import TableUpload

MAX_IMPORT_TEXT, MAX_STOCK_IMPORT_ROWS = 15_000_000, 20_000


class StockImportKind(StrEnum):
    """Kinds of stock imports."""

    PRODUCTS = "products"
    RECEIVED_STOCK = "received_stock"
    """Received stock, added to the current quantity."""
    COUNTED_STOCK = "counted_stock"
    """Counted stock, which replaces the current quantity."""


class ImportTable(TableUpload):
    """A table whose first row names the columns."""

    format: Literal["csv", "xlsx"]
    """File format."""
    content: str = Field(
        min_length=1, max_length=MAX_IMPORT_TEXT, repr=False, exclude=True, examples=["sku,name\nMUG-BLUE,Mug\n"]
    )
    """The file as text or in base64; an XLSX in base64. It is not written into the audit trail. It has 20,000 rows at most."""
    check_only: bool = False
    """If true, check each row by the rules of the import without writing anything."""


class ImportProducts(ImportTable):
    """A file of products.

    Columns have the names of product fields; barcodes share one cell, separated by spaces. Custom fields are columns
    such as `custom_fields.brand`. Other columns are ignored.
    """


class ImportStock(ImportTable):
    """A file of stock.

    Columns: sku, location (barcode), quantity, lot, serial, condition, expires_on.
    """

    content: str = Field(
        min_length=1,
        max_length=MAX_IMPORT_TEXT,
        repr=False,
        exclude=True,
        examples=["sku,location,quantity\nMUG-BLUE,YYZ-A-01,12\n"],
    )
    """The file as text or in base64; an XLSX in base64. It is not written into the audit trail. It has 20,000 rows at most."""
    mode: Literal["add", "set"] = "add"
    """`add`: received stock is added. `set`: the quantity is replaced, and differences are corrected; repeating the
    file changes nothing. Stock that the file does not name is unchanged."""
    reference: Annotated[Reference, ClientKey()] | None = None
    """Reference of the movements, such as the delivery note. With mode `add` a file with this reference counts once: the same
    file again returns the first import, another file is refused, unless no row of the first was written."""


class StockFileRow(Request):
    """A row of a file of stock."""

    sku: Sku
    location: Barcode
    quantity: int = Field(ge=0, le=QUANTITY_MAX)
    lot: Lot | None = None
    serial: Lot | None = None
    condition: Condition = Condition.GOOD
    expires_on: Day | None = None


class StockImportRef(Request):
    """Reference to an import."""

    stock_import_id: RecordId
    """ID of the import."""


class GetStockImport(PageRequest):
    """An import, and filters for its outcomes."""

    stock_import_id: RecordId
    """ID of the import."""
    state: ImportRowState | None = None
    """Filter by state."""


class ListStockImports(PageRequest):
    """Filters for imports."""

    kind: StockImportKind | None = None
    """Filter by kind."""


class StockImportFieldError(Answer):
    """One thing wrong with one column of a row."""

    field: Annotated[str, doc("Name of the column.", "quantity")]
    code: Annotated[str, doc("Machine-readable error code.", "MISSING")]
    message: Annotated[str, doc("Error message in the caller's language.")]


class StockImportOutcome(Answer):
    """Outcome of a row."""

    number: Annotated[int, doc("Row number in the file, starting at 1 below the header.")]
    sku: Annotated[str | None, doc("SKU of the row.")]
    state: Annotated[str, doc("queued, created, updated, refused or cancelled.")]
    record: Annotated[str | None, doc("ID of the product; null if a check would create it.")]
    code: Annotated[str | None, doc("Machine-readable error code.", "INVALID_REQUEST")] = None
    message: Annotated[str | None, doc("Error message in the caller's language.")] = None
    errors: Annotated[list[StockImportFieldError], doc("Invalid columns.")] = []


class StockImport(Answer):
    """An import and how far it is."""

    id: int
    kind: StockImportKind
    check_only: Annotated[bool, doc("If true, rows were only checked and nothing was written.")]
    encoding: Annotated[str | None, doc("Character encoding that the CSV was read in; null for XLSX.", "utf-8")]
    state: Annotated[str, doc("queued, running, done, partly_done, failed or cancelled.")]
    rows: Annotated[int, doc("Rows of the file.")]
    done: Annotated[int, doc("Number of processed rows.")]
    created: Annotated[int, doc("Number of new products, or of rows whose units were added.")]
    updated: Annotated[int, doc("Number of changed products, or of rows that set the stock.")]
    refused: int
    created_at: datetime
    finished_at: datetime | None


class StockImportAnswer(Answer):
    """One import."""

    result: bool = True
    stock_import: StockImport


class StockImportDetail(PagedAnswer):
    """An import, and a page of its outcomes."""

    stock_import: StockImport
    outcomes: list[StockImportOutcome]


class StockImportList(PagedAnswer):
    """A page of imports, newest first."""

    imports: list[StockImport]
