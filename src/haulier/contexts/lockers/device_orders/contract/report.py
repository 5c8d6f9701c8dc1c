"""Request and response models for the report on device orders."""

from typing import Annotated, Literal

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.moments import Day


class GetDeviceOrderReport(Request):
    """Period and grouping of the report."""

    first_day: Day
    """First day of payment, in the business's time zone."""
    last_day: Day
    """Last day of payment, at most a year after the first."""
    by: Literal["product", "customer"] = "product"
    limit: int = Field(default=100, ge=1, le=1000)
    """Maximum number of groups. The groups with the highest amounts are returned."""


class DeviceOrderSums(Answer):
    """Payments for devices of one product or customer in one currency."""

    key: Annotated[str, doc("Product code or customer ID.", "SCAN-1")]
    currency: str
    orders: Annotated[int, doc("Number of paid orders, including orders cancelled later.")]
    pieces: int
    gross_minor: Annotated[int, doc("Amount paid, in minor units.")]
    cancelled_pieces: Annotated[int, doc("Number of pieces in orders that were cancelled after payment.")]
    returned_pieces: Annotated[int, doc("Number of devices returned.")]


class DeviceRefundSums(Answer):
    """Refunds in one currency."""

    currency: str
    refunded_minor: int


class DeviceOrderReport(Answer):
    """Payments for devices, highest amount first, and the refunds of these orders."""

    result: bool = True
    groups: list[DeviceOrderSums]
    refunded: Annotated[list[DeviceRefundSums], doc("Refunds of the orders paid in this period, by currency.")]
