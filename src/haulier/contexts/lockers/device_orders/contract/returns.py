"""Request and response models for device returns."""

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
    """Devices to return and the reason."""

    serials: list[Serial] = Field(min_length=1, max_length=PIECES_MAX)
    """Serial numbers of the devices. Each may appear once."""
    reason: WhyReturned
    wish: Literal["refund", "replacement"] = "refund"
    """Outcome that the customer prefers."""
    note: Note = Field(default="", examples=["The trigger is stuck"])
    """Description of the problem."""

    @model_validator(mode="after")
    def _each_serial_once(self) -> Self:
        if len(set(self.serials)) < len(self.serials):
            raise PydanticCustomError("serial_twice", "a serial number is there twice")
        return self


class DeviceReturnRef(Request):
    """Reference to a device return."""

    device_return_id: RecordId
    """ID of the return. Write it on the parcel."""


class ListDeviceReturns(PageRequest):
    """Filters for device returns. Returns must match all of them."""

    status: StatusOfReturn | None = None
    device_order_id: RecordId | None = None
    """Filter by order."""
    customer_id: RecordId | None = None
    """Filter by customer."""


class ReceiveDeviceReturn(DeviceReturnRef):
    """Returned devices to receive."""

    restock: bool = False
    """If true, the devices are added to stock to be sold again."""


class SettleDeviceReturn(DeviceReturnRef):
    """Settlement of a device return."""

    outcome: Literal["refund", "replacement", "refused"]
    """Refund or replacement for received devices, or refusal before they are received."""
    amount_minor: int | None = Field(default=None, ge=0, le=PRICE_MAX_MINOR, examples=[20000])
    """Amount of the refund in minor units. Defaults to the price of the devices, which is also the maximum."""
    devices: ShippedDevices | None = None
    """Replacement devices by serial number, as many of each product as were returned. They are taken from stock."""
    tracking_number: DeviceTrackingNumber | None = None
    """Tracking number of the replacement."""

    @model_validator(mode="after")
    def _belongs_to_outcome(self) -> Self:
        if (self.outcome == "replacement") != (self.devices is not None):
            raise PydanticCustomError("replacement_devices", "devices go with a replacement")
        if self.outcome != "refund" and self.amount_minor is not None:
            raise PydanticCustomError("refund_amount", "amount_minor goes with a refund")
        check_serials(self.devices or [])
        return self


class DeviceReturnRecord(Priced):
    """A device return."""

    id: int
    device_order_id: int
    customer_id: int
    status: Annotated[str, doc("requested, received, refunded, replaced, refused or cancelled.", "requested")]
    reason: Annotated[str, doc("defective, damaged, wrong_item, not_needed or other.", "defective")]
    wish: Annotated[str, doc("refund or replacement.", "refund")]
    note: str
    serials: Annotated[list[str], doc("Serial numbers of the returned devices.")]
    restocked: Annotated[bool | None, doc("If true, the devices were added to stock. Null until they are received.")]
    worth_amount: Annotated[int | UnsetType, price(DEVICES, "Price of the devices in minor units.")] = UNSET
    refund_amount: Annotated[int | UnsetType | None, price(DEVICES, "Amount refunded, in minor units.")] = UNSET
    currency: Annotated[str | UnsetType, price(DEVICES, "ISO 4217 code of the currency.")] = UNSET
    tracking_number: Annotated[str | None, doc("Tracking number of the replacement.")]
    created_at: datetime
    received_at: datetime | None
    ended_at: datetime | None


class DeviceReturnAnswer(Answer):
    """A device return."""

    result: bool = True
    device_return: DeviceReturnRecord


class DeviceReturnList(PagedAnswer):
    """A page of device returns, newest first."""

    device_returns: list[DeviceReturnRecord]
