"""Devices that go back: why, what came, and what the customer gets for it."""

from datetime import datetime
from typing import Annotated, Literal, Self

from msgspec import UNSET, UnsetType
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.lockers.device_orders.contract.orders import (
    PIECES_MAX,
    DeviceOrderRef,
    DeviceTrackingNumber,
    ShippedDevices,
    check_serials,
)
from haulier.contexts.lockers.device_orders.contract.products import DEVICES, PRICE_MAX_MINOR
from haulier.contexts.lockers.devices.contract.devices import Serial
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Note, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

StatusOfReturn = Literal["requested", "received", "refunded", "replaced", "refused", "cancelled"]
WhyReturned = Literal["defective", "damaged", "wrong_item", "not_needed", "other"]


class RequestDeviceReturn(DeviceOrderRef):
    """Which devices go back, and why."""

    serials: list[Serial] = Field(min_length=1, max_length=PIECES_MAX)
    """Their serial numbers, each once."""
    reason: WhyReturned
    wish: Literal["refund", "replacement"] = "refund"
    """What the customer would like for them."""
    note: Note = Field(default="", examples=["The trigger is stuck"])
    """What is wrong."""

    @model_validator(mode="after")
    def _each_serial_once(self) -> Self:
        if len(set(self.serials)) < len(self.serials):
            raise PydanticCustomError("serial_twice", "a serial number is there twice")
        return self


class DeviceReturnRef(Request):
    """Which return."""

    device_return_id: RecordId
    """The return's id; the number that goes on the parcel."""


class ListDeviceReturns(PageRequest):
    """Which returns; one must match all that is given."""

    status: StatusOfReturn | None = None
    device_order_id: RecordId | None = None
    """Of this order."""
    customer_id: RecordId | None = None
    """Of this customer."""


class ReceiveDeviceReturn(DeviceReturnRef):
    """Devices that came back."""

    restock: bool = False
    """Whether they can be sold again: they count as stock then."""


class SettleDeviceReturn(DeviceReturnRef):
    """What the customer gets."""

    outcome: Literal["refund", "replacement", "refused"]
    """Money or other devices, once they came; or nothing, before they came."""
    amount_minor: int | None = Field(default=None, ge=0, le=PRICE_MAX_MINOR, examples=[20000])
    """Of a refund, in minor units: at most what the devices cost, and that when left out."""
    devices: ShippedDevices | None = None
    """Of a replacement: as many of each product as came back, by serial number; they are taken from stock."""
    tracking_number: DeviceTrackingNumber | None = None
    """Of a replacement: the carrier's number."""

    @model_validator(mode="after")
    def _belongs_to_outcome(self) -> Self:
        if (self.outcome == "replacement") != (self.devices is not None):
            raise PydanticCustomError("replacement_devices", "devices go with a replacement")
        if self.outcome != "refund" and self.amount_minor is not None:
            raise PydanticCustomError("refund_amount", "amount_minor goes with a refund")
        check_serials(self.devices or [])
        return self


class DeviceReturnRecord(Priced):
    """Devices that go back."""

    id: int
    device_order_id: int
    customer_id: int
    status: Annotated[str, doc("requested, received, refunded, replaced, refused or cancelled.", "requested")]
    reason: Annotated[str, doc("defective, damaged, wrong_item, not_needed or other.", "defective")]
    wish: Annotated[str, doc("refund or replacement.", "refund")]
    note: str
    serials: Annotated[list[str], doc("What goes back, by serial number.")]
    restocked: Annotated[bool | None, doc("Whether they can be sold again; null until they came.")]
    worth_amount: Annotated[int | UnsetType, price(DEVICES, "What the devices cost, in minor units.")] = UNSET
    refund_amount: Annotated[int | UnsetType | None, price(DEVICES, "What was given back, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(DEVICES, "ISO 4217.")] = UNSET
    tracking_number: Annotated[str | None, doc("Of the replacement.")]
    created_at: datetime
    received_at: datetime | None
    ended_at: datetime | None


class DeviceReturnAnswer(Answer):
    """One return."""

    result: bool = True
    device_return: DeviceReturnRecord


class DeviceReturnList(PagedAnswer):
    """A page of returns, newest first."""

    device_returns: list[DeviceReturnRecord]
