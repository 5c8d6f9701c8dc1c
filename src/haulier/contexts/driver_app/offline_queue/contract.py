"""What goes in and out of the offline queue."""

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
from haulier.kernel.values.moments import Moment

MAX_SYNC_EVENTS = 100


class DeviceEvent(Request):
    """Something that a driver did, as their device wrote it down. Which fields it needs depends on its kind."""

    id: Annotated[DeviceEventId, ClientKey()] = Field(examples=["0190c1d2-7a44-7cc0-8f1e-2f6f3f5b9a10"])
    """Made by the device, once for each event. A repeat changes nothing; another event under a used id is refused, and its
    receipt names the fields that differ (`CLIENT_KEY_REUSED`). The time is not compared."""
    kind: DeviceEventType
    """What was done."""
    occurred_at: Moment
    """When, by the device's clock. A time in the future becomes the time of receipt; no time is refused."""
    route_id: RecordId
    """On which route."""
    after: DeviceEventId | None = None
    """The event that the device wrote down just before. With it events take effect in exactly that order; without it in the
    order of `occurred_at`."""
    stop_id: RecordId | None = None
    """At which stop: for arrive, pick_up, deliver, fail and reopen; for scan, where it was not while loading."""
    position: Position | None = None
    """Where the device was."""
    recipient: Name | None = None
    """pick_up, deliver: who took it, or who handed it out."""
    signature: UploadName | None = None
    """pick_up, deliver: the upload with the signature."""
    pin: Pin | None = None
    """deliver: the PIN that the recipient said."""
    age_checked: bool | None = None
    """deliver: that the recipient was found to be old enough."""
    handed_to: HandedTo | None = None
    """deliver: who received it, or where it was left."""
    left_at: Name | None = None
    """deliver: the place where it was left."""
    cod: CodPayments | None = None
    """deliver: the money that was taken."""
    cod_reason: Reason | None = None
    """deliver: why less was taken than is due."""
    pieces: PieceReports | None = None
    """deliver: the pieces that were not handed over."""
    photos: ProofPhotos | None = None
    """pick_up, deliver, fail: the uploads with photos."""
    note: Note | None = None
    """pick_up, deliver, fail: words of the driver's."""
    code: Annotated[str, Field(min_length=1, max_length=SCAN_CODE_MAX, pattern=NO_NUL)] | None = None
    """scan: the code. pick_up, deliver: what the recipient said or showed, at most 40 characters."""
    reason: Reason | None = None
    """fail: the reason's code. decline: words."""
    outcome: FailedStopOutcome | None = None
    """fail: what comes next."""
    unread: SkipJsonSchema[str | None] = Field(default=None, exclude=True, repr=False)
    """The field that made the event unreadable."""


def _read_event_leniently(value: Any, read: Callable[[Any], DeviceEvent]) -> DeviceEvent:
    """An event that cannot be read must not block the others, or its device would send it for ever.

    Inside a list the strict reading of JSON has Python values before it, so the event is read as the document that it was.
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
    """The events; they are kept in a journal of their own, not in the audit trail."""
    sent_at: Moment | None = None
    """The device's clock while sending. With it, the time of each event is corrected by the clock's offset."""


class DeviceEventReceipt(Answer):
    """The result for an event."""

    id: str
    status: Annotated[DeviceEventStatus, doc("Applied; refused for good; or kept until what it builds on has come.")]
    duplicate: Annotated[bool, doc("Whether we had heard of it before this call; it was not applied again.")]
    code: Annotated[str | None, doc("Why it was refused, or what it waits for, for programs.", "NOT_PICKED_UP_YET")]
    message: Annotated[str | None, doc("The same in the caller's language.")]
    fields: Annotated[list[str], doc("The fields at fault.")] = []
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
    receipts: Annotated[list[DeviceEventReceipt], doc("One for each event of the call, in its order.")]
    settled: Annotated[list[DeviceEventReceipt], doc("Events of earlier calls that waited until now.")]
    clock_ahead_s: Annotated[int | None, doc("How many seconds the device's clock runs ahead of ours.")]
