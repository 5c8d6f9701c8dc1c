"""Request and response models of delivery orders: labels."""

from datetime import date
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.orders.delivery_orders.contract.filters import OrderFilters
from haulier.contexts.orders.delivery_orders.contract.orders import PIECES_MAX, OrderRef
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.values.table_exports import TableRequest
from haulier.rendering.label_writers import LABEL_WRITERS, OWN_LABEL_FORMS


class ExportOrders(OrderFilters, TableRequest):
    """Filters, page and format of an order export."""

    rows: Literal["orders", "packages", "items"] = "orders"
    """Rows of the table: one per order, per package or per item."""


if TYPE_CHECKING:
    LabelForm = Literal["pdf", "zpl", "png"]
else:
    LabelForm = Literal[(*OWN_LABEL_FORMS, *LABEL_WRITERS)]


class PrintLabels(OrderRef):
    """Labels to print, and their format."""

    format: LabelForm | None = None
    """All labels as one document: `zpl` for label printers, `pdf` with a page per label, or one `png`.
    `Accept: application/zpl`, `application/pdf` or `image/png` returns it alone."""
    piece: int | None = Field(default=None, ge=1, le=PIECES_MAX)
    """Number of the package, from 1. Returns only its label."""


class OrderLabelData(Answer):
    """Label content of a package, for clients that draw their own labels."""

    tracking_number: Annotated[str, doc("Tracking number of the package, printed as Code 128.", "HLTR16KD5632GCM")]
    type: str
    name: Annotated[str | None, doc("Contact at the driver's stop.")]
    address: str | None
    place: Annotated[str, doc("City, region, postal code and country.")]
    other_end: Annotated[str | None, doc("Address of the origin or, for P, the destination.")]
    phone: str | None
    instruction: str | None
    order_ref: str | None
    scheduled_date: date | None
    piece: Annotated[int, doc("Number of the package, starting at 1.")]
    pieces: int
    weight_g: int
    cod: Annotated[str | None, doc("Cash to collect for the whole order; only on its first package.", "12.50 CAD")]


class OrderLabels(Answer):
    """A 4 × 6 inch label for each package."""

    result: bool = True
    format: str = "zpl"
    media_type: str = "application/zpl"
    document: Annotated[str | UnsetType, doc("All labels as one base64 document, if `format` is set.")] = UNSET
    labels: Annotated[list[str], doc("One ZPL document per package, for a printer with 203 dots per inch.")]
    data: Annotated[list[OrderLabelData], doc("Labels as plain data, in the same order.")]
