"""Request and response models for delivery PINs."""

from typing import Annotated

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, RecordId

NUMBER_MAX = 100
PROOF_MAX = 254


class ShowDeliveryPin(Request):
    """Delivery of the PIN, and proof that the caller is the recipient."""

    tracking_number: Annotated[str, Field(min_length=1, max_length=NUMBER_MAX, pattern=NO_NUL)] = Field(
        examples=["HLTR16KD5632GCM"]
    )
    """Tracking number of the order, or of one of its packages."""
    proof: Annotated[str, Field(min_length=1, max_length=PROOF_MAX, pattern=NO_NUL)] = Field(
        exclude=True, repr=False, examples=["M5V 2T6"]
    )
    """Email address of the recipient. If the order has none: their postal code, or the last four digits of their phone
    number."""


class DeliveryPin(Answer):
    """PIN that the recipient gives to the driver."""

    result: bool = True
    pin: Annotated[str, doc("PIN to give to the driver at the handover, never before.", "4711")]


class RenewDeliveryPin(Request):
    """Order whose PIN is renewed."""

    order_id: RecordId


class RenewedDeliveryPin(Answer):
    """An order that has another PIN, which only its recipient can see."""

    result: bool = True
    order_id: int
    message: str
