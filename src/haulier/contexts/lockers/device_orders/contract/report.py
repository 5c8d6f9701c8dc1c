"""What orders of devices came to."""

from typing import Annotated, Literal

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.moments import Day


class GetDeviceOrderReport(Request):
    """Of which days, and how summed up."""

    first_day: Day
    """Of payment, in the business's time zone."""
    last_day: Day
    """At most a year later."""
    by: Literal["product", "customer"] = "product"
    limit: int = Field(default=100, ge=1, le=1000)
    """The groups with the most money."""


class DeviceOrderSums(Answer):
    """What was paid for devices of a product or by a customer, in one currency."""

    key: Annotated[str, doc("The code of the product, or the id of the customer.", "SCAN-1")]
    currency: str
    orders: Annotated[int, doc("Orders that were paid, those that were cancelled later among them.")]
    pieces: int
    gross_minor: Annotated[int, doc("What was paid for them, in minor units.")]
    cancelled_pieces: Annotated[int, doc("Pieces of orders that were cancelled after they were paid.")]
    returned_pieces: Annotated[int, doc("Devices that came back.")]


class DeviceRefundSums(Answer):
    """What went back, in one currency."""

    currency: str
    refunded_minor: int


class DeviceOrderReport(Answer):
    """What was paid for devices, the most money first, and what of it was given back."""

    result: bool = True
    groups: list[DeviceOrderSums]
    refunded: Annotated[list[DeviceRefundSums], doc("What went back of the orders paid on these days, by currency.")]
