"""Request and response models for products."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from haulier.contexts.custom_fields.fields import FieldFilters, FieldValues, ShownValues, values_of
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, EachOnce, Name, RecordId
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH, MAX_PER_PAGE

SKU_MAX, BARCODE_MAX, BARCODES_MAX = 60, 80, 20
PLANNED_PIECES_MAX = 200
"""Most items of a packing plan."""
MAX_EXPORTED = 5000
WEIGHT_MAX_G, LENGTH_MAX_MM, VALUE_MAX_MINOR = 50_000_000, 100_000, 10**12

Sku = Annotated[
    str, Field(min_length=1, max_length=SKU_MAX, pattern=r"^[^\s\x00]([^\n\x00]*[^\s\x00])?$", examples=["MUG-BLUE"])
]
"""The business's code of a product. Punctuation and case are significant."""
ProductBarcode = Annotated[
    str, Field(min_length=1, max_length=BARCODE_MAX, pattern=r"^[\x21-\x7e]+$", examples=["04012345678901"])
]


class Tracking(StrEnum):
    """Granularity at which items of a product are tracked."""

    NONE = "none"
    LOT = "lot"
    """Each movement names a lot."""
    SERIAL = "serial"
    """Each movement names the serial number of one item."""


class ProductTerms(Request):
    """Properties of a product."""

    name: Name = Field(examples=["Mug, blue"])
    """Display name."""
    barcodes: Annotated[set[ProductBarcode], Field(max_length=BARCODES_MAX), EachOnce] = set()
    """GTINs or codes of the business printed on its items. Each belongs to one product."""
    weight_g: int = Field(default=0, ge=0, le=WEIGHT_MAX_G)
    """Weight of a unit in grams; 0 if unknown."""
    length_mm: int = Field(default=0, ge=0, le=LENGTH_MAX_MM)
    """Length of an item in millimetres. 0: unknown."""
    width_mm: int = Field(default=0, ge=0, le=LENGTH_MAX_MM)
    """Width of an item in millimetres."""
    height_mm: int = Field(default=0, ge=0, le=LENGTH_MAX_MM)
    """Height of an item in millimetres."""
    tracking: Tracking = Tracking.NONE
    """Tracking by lot, by serial number, or none."""
    expires: bool = False
    """If true, each receipt needs an expiry day, and stock that expires first is reserved first."""
    reorder_below: int = Field(default=0, ge=0, le=1_000_000_000)
    """Reorder level: fewer available items are a shortage. 0 turns it off."""
    unit_value_minor: int | None = Field(default=None, ge=0, le=VALUE_MAX_MINOR, examples=[450])
    """Cost of an item in minor units of the business's currency. Used in stock reports."""


class CreateProduct(ProductTerms):
    """A new product."""

    sku: Sku
    """Name of the account, unique in the business."""
    custom_fields: Annotated[FieldValues, values_of("product")] = {}
    """Values of the client's own fields of products, by their names."""


class ProductRef(Request):
    """SKU of the product."""

    product_id: RecordId


class UpdateProduct(ProductTerms):
    """New values for a product. Omitted fields are reset to their defaults."""

    product_id: RecordId
    archived: bool = False
    """Archived products can't be received."""
    custom_fields: Annotated[FieldValues, values_of("product")] = {}
    """Custom field values. Omitted fields are kept; null removes a value."""


class ListProducts(Request):
    """Filters and paging for products."""

    search: Annotated[str, Field(min_length=1, max_length=100, pattern=NO_NUL, examples=["MUG"])] | None = None
    """Beginning of a SKU, or words of a SKU and name in any order, without regard to case and accents."""
    barcode: ProductBarcode | None = None
    """Filter by barcode."""
    archived: bool = False
    """If true, include archived maps."""
    custom_fields: FieldFilters = []
    """Filter by custom fields: `name:value`, `name>=value` or `name<=value`. Cannot be combined with `barcode`."""
    per_page: int = Field(default=50, ge=1, le=MAX_PER_PAGE)
    """Records per page."""
    cursor: Annotated[str, Field(max_length=MAX_CURSOR_LENGTH)] | None = None
    """`next_cursor` of the previous page."""


class ExportProducts(Request):
    """Filters and format of a product export."""

    format: Literal["csv", "xlsx"] = "csv"
    """The form."""
    archived: bool = False
    """If true, include archived maps."""
    limit: int = Field(default=MAX_EXPORTED, ge=1, le=MAX_EXPORTED)
    """Products in one document."""
    cursor: Annotated[str, Field(max_length=MAX_CURSOR_LENGTH)] | None = None
    """`next_cursor` of the previous document."""


class ProductExport(Answer):
    """Products as a document that can be imported again."""

    result: bool = True
    document: Annotated[str, doc("Document in base64.")]
    media_type: str
    count: Annotated[int, doc("Number of products in the document.")]
    next_cursor: Annotated[str | None, doc("Cursor of the next document, or null at the end.")]


class Product(Answer):
    """A product that is stored in warehouses."""

    id: int
    sku: str
    name: str
    barcodes: Annotated[list[str], doc("Barcodes of the product.")]
    weight_g: Annotated[int, doc("Weight of a unit in grams; 0 if unknown.")]
    length_mm: int
    width_mm: int
    height_mm: int
    tracking: Annotated[Tracking, doc("Tracking by lot, by serial number, or none.")]
    expires: Annotated[bool, doc("True if each receipt needs an expiry day.")]
    reorder_below: Annotated[int, doc("Number of available units below which stock counts as low.")]
    unit_value_minor: Annotated[int | None, doc("Cost per unit in minor units of the business's currency.")]
    custom_fields: ShownValues
    archived: bool
    created_at: datetime
    updated_at: datetime


class ProductAnswer(Answer):
    """One product."""

    result: bool = True
    product: Product


class ProductList(Answer):
    """A page of products, by SKU."""

    result: bool = True
    products: list[Product]
    next_cursor: Annotated[str | None, doc("Cursor of the next page, or null on the last page.")]
