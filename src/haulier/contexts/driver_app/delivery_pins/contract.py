"""What goes in and out of delivery PINs."""

from typing import Annotated

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, RecordId

NUMBER_MAX = 100
PROOF_MAX = 254


class ShowDeliveryPin(Request):
    """Whose PIN, and what shows that it is the recipient who asks."""

    tracking_number: Annotated[str, Field(min_length=1, max_length=NUMBER_MAX, pattern=NO_NUL)] = Field(
        examples=["HLTR16KD5632GCM"]
    )
    """Of the order, or of one of its pieces."""
    proof: Annotated[str, Field(min_length=1, max_length=PROOF_MAX, pattern=NO_NUL)] = Field(
        exclude=True, repr=False, examples=["M5V 2T6"]
    )
    """The recipient's e-mail address. Where the order has none: their postal code, or the last four digits of their phone."""


class DeliveryPin(Answer):
    """What the recipient says at the door."""

    result: bool = True
    pin: Annotated[str, doc("Say it to the driver when the parcel is handed over, never before.", "4711")]


class RenewDeliveryPin(Request):
    """The order whose PIN is made anew."""

    order_id: RecordId


class RenewedDeliveryPin(Answer):
    """An order that has another PIN, which only its recipient can see."""

    result: bool = True
    order_id: int
    message: str
