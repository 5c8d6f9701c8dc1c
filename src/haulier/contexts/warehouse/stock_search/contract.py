"""Request and response models of the stock search."""

from typing import Annotated

from pydantic import Field

from haulier.contexts.warehouse.packages.contract import WarehousePackage
from haulier.contexts.warehouse.stock.contract import InventoryItem, StockLevel
from haulier.contexts.warehouse.warehouses.contract import WarehouseLocation
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, RecordId

QUERY_MAX, FOUND_MAX, LEVELS_MAX = 100, 20, 100


class FindStock(Request):
    """A scanned code or words, and where to look."""

    search: str = Field(min_length=1, max_length=QUERY_MAX, pattern=NO_NUL, examples=["MUG"])
    """A code (barcode, SKU, location, package, lot or serial number), or words of a SKU, product name or location code."""
    warehouse_id: RecordId | None = None
    """Filter stock and locations by warehouse."""


class FoundStock(Answer):
    """Records that match a code or words, and their stock."""

    result: bool = True
    exact: Annotated[
        bool, doc("True if the query is the code of each record. Records that only contain it are left out.")
    ]
    products: Annotated[list[InventoryItem], doc("Matching products and how much there is of each, at most 20.")]
    locations: Annotated[list[WarehouseLocation], doc("Matching locations in walking order, at most 20.")]
    packages: Annotated[list[WarehousePackage], doc("The package with this number.")]
    levels: Annotated[
        list[StockLevel],
        doc("Stock of these products, on these locations or of this lot, in walking order, at most 100."),
    ]
    more: Annotated[bool, doc("True if there are more matches than the answer shows.")]
