"""Order imports: requests and answers."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from haulier.contexts.orders.batches.contract import MAX_BATCH_ORDERS, OrderFieldError
from haulier.contexts.orders.delivery_orders.contract.orders import Id, ShortText
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.values.countries import CountryCode
from haulier.kernel.values.moments import Day
from haulier.kernel.values.table_uploads import TableUpload

MAX_FILE_BYTES = 8_000_000
MAX_FILE_TEXT = MAX_FILE_BYTES * 4 // 3 + 8
MAX_FILE_ORDERS = MAX_BATCH_ORDERS
FAULTS_SHOWN, ORDERS_SHOWN = 100, 5
OrderField = Literal[
    "order_ref",
    "name",
    "address",
    "unit",
    "city",
    "region",
    "postal_code",
    "country",
    "phone",
    "email",
    "lat",
    "lng",
    "notes",
    "scheduled_date",
    "window_start",
    "window_end",
    "quantity",
    "weight_g",
    "weight_kg",
    "weight_oz",
    "weight_lb",
    "description",
    "sku",
    "item_description",
    "item_quantity",
    "unit_price",
    "item_currency",
    "item_weight_g",
    "hs_code",
    "country_of_origin",
    "service",
    "signature_required",
    "photo_required",
    "cod",
    "cod_minor",
    "note",
    "delivery_instruction",
]
ColumnName = Annotated[str, Field(min_length=1, max_length=200)]


class OrderFile(TableUpload):
    """A table with one order per row. Its first row names the columns."""

    file_field: ClassVar[str] = "document"

    document: Annotated[
        str,
        Field(
            min_length=4,
            max_length=MAX_FILE_TEXT,
            repr=False,
            exclude=True,
            examples=["bmFtZSxhZGRyZXNzLGNpdHksY291bnRyeQpBZGEsMTAwIFF1ZWVuIFN0IFcsVG9yb250byxDQQ=="],
            json_schema_extra={"contentEncoding": "base64"},
        ),
    ]
    """File in base64, or CSV as text. At most 8 MB and 5,000 rows below the header."""
    format: Literal["csv", "xlsx"] = "csv"
    """File format: CSV with any common separator and encoding, or XLSX (first sheet)."""
    mapping: Annotated[dict[OrderField, ColumnName | None], Field(max_length=60, examples=[{"name": "Customer"}])] = {}
    """Column of each field, or null to leave the field out. Columns named like a field, or like its usual names in other
    systems, are mapped automatically.

    Weights and `cod` are decimals; `cod` is in the business's currency. Times without a day or an offset, such as `15:00`,
    refer to the order's day in the business's time zone. Custom fields are columns such as `custom_fields.floor`.
    With a column for `sku` or `item_description`, each row is an item, and rows with the same `order_ref` become one order.
    """
    detect_profile: bool = True
    """If true, recognise exports of Shopify, Etsy, Amazon, WooCommerce and Pirate Ship by their columns. Rows with
    the same order number become one order, and `mapping` replaces single fields."""
    country: CountryCode | None = Field(default=None, examples=["CA"])
    """Country of rows without one (ISO 3166-1 alpha-2)."""
    scheduled_date: Day | None = None
    """Scheduled day of rows without one."""
    customer_id: Id | None = None
    """Customer account of the orders. Customers can only import their own."""


class OrderFileColumn(Answer):
    """A column of the file."""

    name: Annotated[str, doc("Text of the column in the first row.", "Customer")]
    field: Annotated[str | None, doc("Order field read from the column; null if the column is ignored.", "name")]


class OrderFileFault(Answer):
    """A row that would be refused."""

    number: Annotated[int, doc("Row number, starting at 1 below the header; the first row of an order with several.")]
    order_ref: str | None
    code: Annotated[str, doc("Machine-readable reason for the refusal.", "INVALID_REQUEST")]
    message: Annotated[str, doc("Reason for the refusal in the caller's language.")]
    errors: Annotated[list[OrderFieldError], doc("Invalid fields.")]


class OrderFileWarning(Answer):
    """A row to check, because of a repair or a suspicious value.

    Examples are restored zeros and swapped coordinates.
    """

    number: Annotated[int, doc("Row number, starting at 1 below the header; the first row of an order with several.")]
    field: Annotated[str, doc("Field of the order.", "consignee.postal_code")]
    code: Annotated[str, doc("Machine-readable code of the repair or suspicious value.", "ZEROS_RESTORED")]
    message: Annotated[str, doc("Description of the repair or suspicious value in the caller's language.")]


class OrderFileRow(Answer):
    """A row as an order, reduced to its most important fields."""

    number: Annotated[int, doc("Row number, starting at 1 below the header; the first row of an order with several.")]
    order_ref: str | None
    name: ShortText | None
    address: str | None
    city: str | None
    scheduled_date: str | None


class OrderFileCheck(Answer):
    """Result of an import if the file were imported now."""

    result: Annotated[bool, doc("True if at least one row can be read.")]
    total: Annotated[int, doc("Number of rows in the file; with a profile, of orders.")]
    faulty: Annotated[int, doc("Number of rows, or orders, that would be refused.")]
    encoding: Annotated[str | None, doc("Character encoding of the CSV; null for XLSX.", "utf-8")]
    profile: Annotated[str | None, doc("Recognised export profile; null if none.", "Shopify")]
    columns: list[OrderFileColumn]
    missing: Annotated[list[str], doc("Required fields without a column.")]
    orders: Annotated[list[OrderFileRow], doc("First five readable rows.")]
    faults: Annotated[list[OrderFileFault], doc("First 100 refused rows.")]
    warnings: Annotated[list[OrderFileWarning], doc("First 100 repairs and suspicious values.")] = []
