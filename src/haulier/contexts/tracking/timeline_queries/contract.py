"""Timelines by the protocol: requests and answers."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.otep.public import OTEP_VERSION, FormatName, Timeline, TrackingEvent
from haulier.contexts.tracking.timelines.contract import TrackedOrderId, TrackedOrderRef, TrackingNumber
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.moments import Moment
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH

BATCH_NUMBERS_MAX = 200
EVENTS_PAGE_MAX = 500


class TrackingRef(Request):
    """A tracking number."""

    tracking_number: TrackingNumber
    """The number on the label or in the message to the recipient."""


class GetOtepTracking(TrackingRef):
    """A tracking number, and the form in which its timeline is wanted."""

    format: Annotated[FormatName, Field(examples=["epcis"])] = "otep"
    """The form of `data`: the native timeline, or one of its projections."""


class OtepDocument(Answer):
    """A timeline in one of its forms."""

    result: bool = True
    format: Annotated[str, doc("The form of `data`", "otep")] = "otep"
    data: Annotated[Any, doc("The native timeline, or the document of another standard that was asked for")]


class OtepTimeline(Answer):
    """A timeline in the protocol's own form."""

    result: bool = True
    data: Timeline
    replaced_by: Annotated[
        str | None, doc("The number under which it goes on, after it was sent to another address", "HL7XK2M9QB")
    ] = None


class ListOtepEvents(TrackingRef):
    """Which events of a tracking number."""

    since: Annotated[Moment | None, Field(examples=["2026-06-10T00:00:00Z"])] = None
    """Only events that were recorded after this time, whenever they occurred."""
    order: Annotated[Literal["occurred", "recorded"], Field(examples=["occurred"])] = "occurred"
    """By the time of occurrence, as a timeline; or by the time of record, so that who continues later misses nothing."""
    limit: Annotated[int, Field(ge=1, le=EVENTS_PAGE_MAX, examples=[100])] = 100
    """At most so many events."""
    cursor: Annotated[str | None, Field(max_length=MAX_CURSOR_LENGTH)] = None
    """`next_cursor` of the answer before: what follows it."""
    format: Annotated[FormatName, Field(examples=["epcis"])] = "otep"
    """The form of these events: the native list, or one of its projections."""


class OtepEventList(Answer):
    """Events of one tracking number. Each carries its subject, so that it says everything where it stands alone."""

    result: bool = True
    otep_version: str = OTEP_VERSION
    format: Annotated[str, doc("The form of the events", "otep")] = "otep"
    tracking_number: str
    events: Annotated[list[TrackingEvent], doc("In the native form; empty where another was asked for")]
    next_cursor: Annotated[str | None, doc("Continues after the last of these events; null where there are none yet")]
    more: Annotated[bool, doc("True when further events are there already")]
    data: Annotated[Any | UnsetType, doc("These events in the other form that was asked for")] = UNSET

    @property
    def document(self) -> Any:
        """The events alone, in the form that was asked for."""
        return self.events if self.data is UNSET else self.data


class GetOtepTrackingsBatch(Request):
    """Many tracking numbers."""

    tracking_numbers: Annotated[
        tuple[TrackingNumber, ...], Field(min_length=1, max_length=BATCH_NUMBERS_MAX, examples=[["HL7XK2M9QA"]])
    ]
    """At most 200; each is answered once, in this order."""
    format: Annotated[FormatName, Field(examples=["otep"])] = "otep"
    """The form of every `data`."""


class OtepBatchEntry(Answer):
    """The answer for one of the numbers."""

    tracking_number: str
    found: bool
    data: Annotated[Any | UnsetType, doc("As the single read gives it; absent when nothing was found")] = UNSET
    code: Annotated[str | UnsetType, doc("Why there is no `data`", "NOT_FOUND")] = UNSET
    message: Annotated[str | UnsetType, doc("The same in the caller's language")] = UNSET


class OtepBatchError(Answer):
    """One of the numbers that has no timeline."""

    tracking_number: str
    code: Annotated[str, doc("Why, for programs", "NOT_FOUND")]
    message: Annotated[str, doc("The same in the caller's language")]


class OtepBatch(Answer):
    """The answers for many numbers. An unknown number is no error of the call."""

    result: bool = True
    format: Annotated[str, doc("The form of every `data`", "otep")]
    found: Annotated[int, doc("How many of the numbers are known")]
    trackings: list[OtepBatchEntry]
    errors: Annotated[list[OtepBatchError], doc("The entries that were not found")]

    @property
    def documents(self) -> list[Any]:
        """The documents alone, in the order of the numbers; None where nothing was found."""
        return [None if entry.data is UNSET else entry.data for entry in self.trackings]


class GetClientTrackings(Request):
    """One of the client's own parcels: by exactly one of number, order id or order reference."""

    tracking_number: Annotated[str | None, Field(min_length=1, max_length=100, examples=["HL7XK2M9QA"])] = None
    """The tracking number, ours or the one that a carrier gave."""
    order_id: TrackedOrderId | None = None
    """The order."""
    order_ref: TrackedOrderRef | None = None
    """The client's own reference of the order."""
    format: Annotated[FormatName, Field(examples=["otep"])] = "otep"
    """The form of every `data`."""


class ClientTrackings(Answer):
    """The full timelines of an order's parcels."""

    result: bool = True
    format: str
    trackings: list[OtepBatchEntry]
