"""Timelines by the protocol: what the world asks and gets."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType
from pydantic import AwareDatetime, Field

from haulier.contexts.tracking.otep.model import OTEP_VERSION, Event, Timeline
from haulier.contexts.tracking.otep.projections.formats import FormatName
from haulier.contexts.tracking.timelines.contract import Number, OrderId, OrderRef
from haulier.kernel.answers import Answer, doc
from haulier.kernel.operation import Request
from haulier.kernel.pages import CURSOR_MAX

BATCH_MAX = 200
EVENTS_MAX = 500


class ThisTracking(Request):
    """A tracking number."""

    tracking_number: Number
    """The number on the label or in the message to the recipient."""


class TrackingInFormat(ThisTracking):
    """A tracking number, and the form in which its timeline is wanted."""

    format: Annotated[FormatName, Field(examples=["epcis"])] = "otep"
    """The form of `data`: the native timeline, or one of fourteen projections."""


class OtepDocument(Answer):
    """A timeline in one of its forms."""

    result: bool = True
    format: Annotated[str, doc("The form of `data`", "otep")] = "otep"
    data: Annotated[Any, doc("The native timeline, or the document of another standard that was asked for")]


class OtepTimeline(Answer):
    """A timeline in the protocol's own form."""

    result: bool = True
    data: Timeline


class TrackingEvents(ThisTracking):
    """Which events of a tracking number."""

    since: Annotated[AwareDatetime | None, Field(examples=["2026-06-10T00:00:00Z"])] = None
    """Only events that were recorded after this time, whenever they occurred."""
    order: Annotated[Literal["occurred", "recorded"], Field(examples=["occurred"])] = "occurred"
    """By the time of occurrence, as a timeline; or by the time of record, so that who continues later misses nothing."""
    limit: Annotated[int, Field(ge=1, le=EVENTS_MAX, examples=[100])] = 100
    """At most so many events."""
    cursor: Annotated[str | None, Field(max_length=CURSOR_MAX)] = None
    """`next_cursor` of the answer before: what follows it."""


class OtepEvents(Answer):
    """Events of one tracking number."""

    result: bool = True
    otep_version: str = OTEP_VERSION
    tracking_number: str
    events: list[Event]
    next_cursor: Annotated[str | None, doc("Continues after the last of these events; null where there are none yet")]
    more: Annotated[bool, doc("True when further events are there already")]


class TrackingBatch(Request):
    """Many tracking numbers."""

    tracking_numbers: Annotated[
        tuple[Number, ...], Field(min_length=1, max_length=BATCH_MAX, examples=[["HL7XK2M9QA"]])
    ]
    """At most 200; each is answered once, in this order."""
    format: Annotated[FormatName, Field(examples=["otep"])] = "otep"
    """The form of every `data`."""


class BatchEntry(Answer):
    """What there is under one of the numbers."""

    tracking_number: str
    found: bool
    data: Annotated[Any | UnsetType, doc("As the single read gives it; absent when nothing was found")] = UNSET
    code: Annotated[str | UnsetType, doc("Why there is no `data`", "NOT_FOUND")] = UNSET
    message: Annotated[str | UnsetType, doc("The same in the caller's language")] = UNSET


class OtepBatch(Answer):
    """What there is under many numbers. A number that nobody knows is no error of the call."""

    result: bool = True
    format: Annotated[str, doc("The form of every `data`", "otep")]
    found: Annotated[int, doc("How many of the numbers are known")]
    trackings: list[BatchEntry]


class ClientTracking(Request):
    """One of the client's own parcels: by exactly one of number, order id or order reference."""

    tracking_number: Annotated[str | None, Field(min_length=1, max_length=100, examples=["HL7XK2M9QA"])] = None
    """The tracking number, ours or the one that a carrier gave."""
    order_id: OrderId | None = None
    """The order."""
    order_ref: OrderRef | None = None
    """The client's own reference of the order."""
    format: Annotated[FormatName, Field(examples=["otep"])] = "otep"
    """The form of every `data`."""


class ClientTrackings(Answer):
    """The full timelines of an order's parcels."""

    result: bool = True
    format: str
    trackings: list[BatchEntry]
