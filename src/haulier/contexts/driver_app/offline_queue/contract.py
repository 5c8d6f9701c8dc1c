"""Request and response models for the offline queue."""

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, ValidationError, WrapValidator
from pydantic.json_schema import SkipJsonSchema

from haulier.contexts.driver_app.fields import EVENT_ID_MAX, SCAN_CODE_MAX, DeviceEventId, Pin, ProofPhotos, UploadName
from haulier.contexts.driver_app.offline_queue.rules import DeviceEventStatus, DeviceEventType
from haulier.contexts.driver_app.proof.contract import PieceReports
from haulier.contexts.otep.public import HandedTo
from haulier.contexts.routes.routes.contract import Position
from haulier.contexts.routes.stops.rules import FailedStopOutcome
from haulier.contexts.settlements.cash_on_delivery.contract import CodPayments
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.client_keys import ClientKey
from haulier.kernel.operations.codec import encode_json
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Name, Note, Reason, RecordId
from haulier.kernel.operations.ids import StopId
from haulier.kernel.values.moments import Moment

MAX_SYNC_EVENTS = 100


class DeviceEvent(Request):
    """An action of a driver, recorded by their device.

    The required fields depend on its kind.
    """

    id: Annotated[DeviceEventId, ClientKey()] = Field(examples=["0190c1d2-7a44-7cc0-8f1e-2f6f3f5b9a10"])
    """ID of the event, generated once by the device. A repeat changes nothing. A different event with a used ID is
    refused with `CLIENT_KEY_REUSED`, and its receipt names the fields that differ, not counting the time."""
    kind: DeviceEventType
    """Type of event."""
    occurred_at: Moment
    """Time of the event on the device's clock. A future time becomes the time of receipt."""
    route_id: RecordId
    """ID of the route."""
    after: DeviceEventId | None = None
    """ID of the event that the device recorded just before. With it, events are applied in exactly that sequence;
    without it, by `occurred_at`."""
    stop_id: StopId | None = None
    """ID of the stop. Required for arrive, pick_up, deliver, fail and reopen, and for scan outside loading."""
    position: Position | None = None
    """Position of the device."""
    recipient: Name | None = None
    """pick_up, deliver: name of the person who received or handed over the goods."""
    signature: UploadName | None = None
    """pick_up, deliver: upload with the signature."""
    pin: Pin | None = None
    """deliver: PIN given by the recipient."""
    age_checked: bool | None = None
    """deliver: if true, the driver checked that the recipient has the required age."""
    handed_to: HandedTo | None = None
    """deliver: type of receiver, or of the place where the delivery was left."""
    left_at: Name | None = None
    """deliver: place where the delivery was left."""
    cod: CodPayments | None = None
    """deliver: cash on delivery collected."""
    cod_reason: Reason | None = None
    """deliver: reason for collecting less than the amount due."""
    pieces: PieceReports | None = None
    """deliver: packages that were not handed over."""
    photos: ProofPhotos | None = None
    """pick_up, deliver, fail: uploads with photos."""
    note: Note | None = None
    """pick_up, deliver, fail: note of the driver."""
    code: Annotated[str, Field(min_length=1, max_length=SCAN_CODE_MAX, pattern=NO_NUL)] | None = None
    """scan: scanned code. pick_up, deliver: proof of identity given by the recipient, at most 40 characters."""
    reason: Reason | None = None
    """fail: reason code. decline: reason as text."""
    outcome: FailedStopOutcome | None = None
    """fail: next step of the order."""
    unread: SkipJsonSchema[str | None] = Field(default=None, exclude=True, repr=False)
    """Field that made the event unreadable."""


def _read_event_leniently(value: Any, read: Callable[[Any], DeviceEvent]) -> DeviceEvent:
    """Return an unreadable event as such, instead of an error.

    Otherwise it would block the others, and its device would send it forever. Lists pass Python values to the strict
    JSON parser, so the event is parsed from its original document.
    """
    try:
        return DeviceEvent.model_validate_json(encode_json(value), strict=True)
    except ValidationError as error:
        id = value.get("id") if isinstance(value, dict) else None
        if not isinstance(id, str) or not 1 <= len(id) <= EVENT_ID_MAX or "\0" in id:
            raise
        where = ".".join(map(str, error.errors(include_url=False, include_input=False)[0]["loc"]))
        return DeviceEvent.model_construct(id=id, unread=where)


class SyncRiderEvents(Request):
    """The events that a device recorded since its last call, in any order."""

    events: Annotated[
        list[Annotated[DeviceEvent, WrapValidator(_read_event_leniently)]],
        Field(min_length=1, max_length=MAX_SYNC_EVENTS, exclude=True, repr=False),
    ]
    """Events to apply. They are stored in their own journal, not in the audit trail."""
    sent_at: Moment | None = None
    """Time of sending on the device's clock. Used to correct event times for the clock's offset."""


class DeviceEventReceipt(Answer):
    """The result for an event."""

    id: str
    status: Annotated[DeviceEventStatus, doc("Status: applied, refused for good, or waiting for an earlier event.")]
    duplicate: Annotated[bool, doc("True for a repeat, which was not applied again.")]
    code: Annotated[str | None, doc("Machine-readable reason for the refusal or the wait.", "NOT_PICKED_UP_YET")]
    message: Annotated[str | None, doc("Reason in the caller's language.")]
    fields: Annotated[list[str], doc("Invalid fields.")] = []
    occurred_at: Annotated[datetime | None, doc("Time of the event as stored; null for an unreadable event.")] = None
    clock_corrected: Annotated[bool, doc("True if the time differs from the device's because its clock is off.")] = (
        False
    )


class SyncResult(Answer):
    """A receipt for every event. The device can delete every event that has a receipt."""

    result: bool = True
    applied: int
    refused: int
    waiting: int
    duplicates: int
    receipts: Annotated[list[DeviceEventReceipt], doc("Receipts of the events of the call, in the same order.")]
    settled: Annotated[list[DeviceEventReceipt], doc("Events of earlier calls that waited until this call.")]
    clock_ahead_s: Annotated[int | None, doc("Offset of the device's clock in seconds; positive if it is ahead.")]
