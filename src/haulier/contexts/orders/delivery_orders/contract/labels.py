"""Labels of orders: requests and answers."""

from datetime import date
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.orders.delivery_orders.contract.addresses import PIECES_MAX
from haulier.contexts.orders.delivery_orders.contract.orders import OrderRef
from haulier.kernel.operations.answers import Answer, doc
from haulier.rendering.label_writers import LABEL_WRITERS, OWN_LABEL_FORMS

if TYPE_CHECKING:
    LabelForm = Literal["zpl", "pdf", "png"]
else:
    LabelForm = Literal[(*OWN_LABEL_FORMS, *LABEL_WRITERS)]


class PrintLabels(OrderRef):
    """Which labels, in which form."""

    format: LabelForm | None = None
    """All of them as one document too: `zpl` for a printer of labels, `pdf` with a page for each, `png` one below the other.
    `Accept: application/zpl`, `application/pdf` or `image/png` asks for it alone."""
    piece: int | None = Field(default=None, ge=1, le=PIECES_MAX)
    """The label of this piece only, counted from 1."""


class OrderLabelData(Answer):
    """The content of the label of one piece, for clients that draw labels themselves."""

    tracking_number: Annotated[str, doc("Of the piece; printed as Code 128.", "HLTR16KD5632GCM")]
    type: str
    name: Annotated[str | None, doc("Who is at the stop that the driver goes to.")]
    address: str | None
    place: Annotated[str, doc("City, region, postal code and country.")]
    other_end: Annotated[str | None, doc("The origin; for P, the destination.")]
    phone: str | None
    instruction: str | None
    order_ref: str | None
    scheduled_date: date | None
    piece: Annotated[int, doc("Which piece of the order, from 1.")]
    pieces: int
    weight_g: int
    cod: Annotated[str | None, doc("Cash to collect for the whole order; on its first piece only.", "12.50 CAD")]


class OrderLabels(Answer):
    """A 4 by 6 inch label for each piece."""

    result: bool = True
    format: str = "zpl"
    media_type: str = "application/zpl"
    document: Annotated[str | UnsetType, doc("All labels as one document, in base64; if `format` asks for it.")] = UNSET
    labels: Annotated[list[str], doc("One ZPL document per piece, for a printer of 203 dots per inch.")]
    data: Annotated[list[OrderLabelData], doc("The same as plain data, in the same order.")]
