"""Order imports: requests and answers."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from haulier.contexts.orders.batches.contract import MAX_BATCH_ORDERS, OrderFieldError
from haulier.contexts.orders.delivery_orders.contract.addresses import ShortText
from haulier.contexts.orders.delivery_orders.contract.orders import Id
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
    """A table with an order in each row, whose first row names the columns."""

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
    """The file in base64, or a CSV as text: at most 8 MB and 5,000 rows below a header."""
    format: Literal["csv", "xlsx"] = "csv"
    """CSV in any common form, or XLSX, whose first sheet is read."""
    mapping: Annotated[dict[OrderField, ColumnName | None], Field(max_length=40, examples=[{"name": "Customer"}])] = {}
    """For each field the column that holds it; null where none does. A column called like a field, or as other systems call it,
    needs no mention.

    Weights and `cod` are decimals; `cod` is in the business's currency. Times without a day or an offset, as `15:00`,
    are of the order's day and the business's time zone. Your own fields are columns such as `custom_fields.floor`.
    """
    detect_profile: bool = True
    """Recognise exports of known shops (Shopify, Etsy, Amazon, WooCommerce, Pirate Ship) by their columns. Rows with one order
    number then become one order, and `mapping` replaces single fields."""
    country: CountryCode | None = Field(default=None, examples=["CA"])
    """The country of rows that name none, ISO 3166-1 alpha-2."""
    scheduled_date: Day | None = None
    """The day of rows that name none."""
    customer_id: Id | None = None
    """The customer account that the orders are for; customers import their own."""


class OrderFileColumn(Answer):
    """A column of the file."""

    name: Annotated[str, doc("What its first row says.", "Customer")]
    field: Annotated[
        str | None, doc("The field of an order that it is read as; null for one that is left out.", "name")
    ]


class OrderFileFault(Answer):
    """A row that would be refused."""

    number: Annotated[int, doc("The row, from 1 below the header; of an order of several rows, the first.")]
    order_ref: str | None
    code: Annotated[str, doc("Why it would be refused, for programs.", "INVALID_REQUEST")]
    message: Annotated[str, doc("Why it would be refused, in the caller's language.")]
    errors: Annotated[list[OrderFieldError], doc("The fields at fault.")]


class OrderFileWarning(Answer):
    """Something to check in a row: a repair such as restored zeros, or an oddity such as swapped coordinates."""

    number: Annotated[int, doc("The row, from 1 below the header; of an order of several rows, the first.")]
    field: Annotated[str, doc("The field of the order.", "consignee.postal_code")]
    code: Annotated[str, doc("The repair or oddity, for programs.", "ZEROS_RESTORED")]
    message: Annotated[str, doc("The repair or oddity, in the caller's language.")]


class OrderFileRow(Answer):
    """A row as it would become an order, with the most telling of its fields."""

    number: Annotated[int, doc("The row, from 1 below the header; of an order of several rows, the first.")]
    order_ref: str | None
    name: ShortText | None
    address: str | None
    city: str | None
    scheduled_date: str | None


class OrderFileCheck(Answer):
    """The result that importing a file would have now, by the same rules."""

    result: Annotated[bool, doc("True when at least one row can be read.")]
    total: Annotated[int, doc("Rows in the file; with a profile, orders.")]
    faulty: Annotated[int, doc("Rows, or orders, that would be refused.")]
    encoding: Annotated[str | None, doc("Character encoding that the CSV was read in; null for XLSX.", "utf-8")]
    profile: Annotated[str | None, doc("The export that the file was recognised as; null for any other.", "Shopify")]
    columns: list[OrderFileColumn]
    missing: Annotated[list[str], doc("Fields that every order needs and no column holds.")]
    orders: Annotated[list[OrderFileRow], doc("The first five rows that can be read.")]
    faults: Annotated[list[OrderFileFault], doc("The first 100 that cannot.")]
    warnings: Annotated[list[OrderFileWarning], doc("The first 100 repairs and oddities to check.")] = []
