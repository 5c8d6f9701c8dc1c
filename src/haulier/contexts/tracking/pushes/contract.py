"""Requests and answers for refused pushes and carriers' messages."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.tracking.ingest.contract import IngestRefusal
from haulier.contexts.tracking.pushes.rules import CarrierMessageOrigin, CarrierMessageStatus
from haulier.contexts.tracking.timelines.contract import TrackingNumber
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.operations.ids import ForeignId
from haulier.kernel.values.moments import Moment
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH, PagedAnswer, PageRequest

MAX_REFUSED_PER_PAGE = 200
PushId = Annotated[ForeignId, Field(min_length=1, max_length=32, examples=["5f0c2a9be1d34c77"])]


class ListRefusedPushes(Request):
    """Filters for rejected events. All filters must match."""

    push_id: PushId | None = None
    """Filter by push: the `push_id` of its response."""
    provider_id: Annotated[int, Field(ge=1, le=2**53 - 1)] | None = None
    """Filter by provider key."""
    tracking_number: TrackingNumber | None = None
    """Filter by number, as the provider wrote it."""
    since: Moment | None = None
    """Refused at or after this time."""
    cursor: Annotated[str, Field(max_length=MAX_CURSOR_LENGTH, examples=["WzE3XQ"])] | None = None
    """`next_cursor` of the answer before, for older ones."""
    limit: int = Field(default=50, ge=1, le=MAX_REFUSED_PER_PAGE)
    """Maximum number of events."""


class RefusedPush(Answer):
    """A rejected event from the queue or from a carrier's webhook."""

    id: int
    push_id: Annotated[str, doc("Id of the push, as in its response.", "5f0c2a9be1d34c77")]
    provider_id: Annotated[int, doc("Provider key of the push.")]
    pushed_at: datetime
    refused_at: datetime
    path: Annotated[str, doc("Position in the document (JSONPath).", "$.events[0]")]
    tracking_number: Annotated[str, doc("Tracking number as the provider wrote it.")]
    reference: Annotated[str | None, doc("The provider's own id of the event.")]
    status_code: str
    occurred_at: Annotated[datetime, doc("Time of the event, or that of the push if it is unreadable.")]
    reasons: Annotated[list[IngestRefusal], doc("All reasons for the rejection.")]
    document: Annotated[str | None, doc("Original webhook of the carrier; null for a queued event.")]


class RefusedPushList(Answer):
    """Refused events, newest first."""

    result: bool = True
    refused: list[RefusedPush]
    next_cursor: Annotated[str | None, doc("Cursor of older events; null at the end of the list.")]


class ListCarrierMessages(PageRequest):
    """Filters; a message must match all that are given."""

    status: CarrierMessageStatus | None = None
    """Filter by status."""
    origin: CarrierMessageOrigin | None = None
    """Filter by origin."""
    tracking_number: TrackingNumber | None = None
    """Filter by tracking number, as the carrier wrote it."""
    provider_id: RecordId | None = None
    """Filter by provider key."""


class CarrierMessageRef(Request):
    """A message."""

    carrier_message_id: RecordId
    """ID of the message."""


class CarrierPushMessage(Answer):
    """A carrier's message with events that could not be recorded on arrival."""

    id: int
    status: Annotated[CarrierMessageStatus, doc("open (not wholly recorded), applied (recorded by a replay).")]
    origin: Annotated[CarrierMessageOrigin, doc("push (the carrier called), poll (one scan of an answer).")]
    sender: Annotated[str, doc("Format of the message, such as `ups`; empty if unknown.", "shipengine")]
    carrier: Annotated[str, doc("Name of the provider key, or code of the polled carrier.", "UPS")]
    provider_id: Annotated[int | None, doc("Provider key; null for a poll.")]
    push_id: Annotated[str, doc("Digest of the content; also names the push in the list of refused events.")]
    tracking_number: Annotated[str, doc("Tracking number as the carrier wrote it; empty if unknown.")]
    received_at: datetime
    reasons: Annotated[list[IngestRefusal], doc("Reasons for which events are not recorded, at most 100.")]
    replays: Annotated[int, doc("Number of replays.")]
    replayed_at: Annotated[datetime | None, doc("Time of the last replay.")]
    replayed_by: Annotated[int | None, doc("User who replayed it last.")]
    applied_at: Annotated[datetime | None, doc("Time at which the last event was recorded.")]


class CarrierPushMessageDetail(CarrierPushMessage):
    """A message with its content."""

    document: Annotated[str, doc("Content as received; for a poll, the scan as JSON.")]


class CarrierPushMessageAnswer(Answer):
    """One message."""

    result: bool = True
    carrier_message: CarrierPushMessageDetail


class CarrierPushMessageList(PagedAnswer):
    """A page of messages, newest first."""

    carrier_messages: list[CarrierPushMessage]
