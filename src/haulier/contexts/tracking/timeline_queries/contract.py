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
    """A tracking number and the format of its timeline."""

    format: Annotated[FormatName, Field(examples=["epcis"])] = "otep"
    """Format of `data`: the native timeline, or one of its projections."""


class OtepDocument(Answer):
    """A timeline in one of its forms."""

    result: bool = True
    format: Annotated[str, doc("Format of `data`.", "otep")] = "otep"
    data: Annotated[Any, doc("Native timeline, or the document of the requested standard.")]


class OtepTimeline(Answer):
    """A timeline in the protocol's own form."""

    result: bool = True
    data: Timeline
    replaced_by: Annotated[
        str | None, doc("Number under which it continues after it was sent to another address.", "HL7XK2M9QB")
    ] = None


class ListOtepEvents(TrackingRef):
    """Filters for events of a tracking number."""

    since: Annotated[Moment | None, Field(examples=["2026-06-10T00:00:00Z"])] = None
    """Only events that were recorded after this time, whenever they occurred."""
    order: Annotated[Literal["occurred", "recorded"], Field(examples=["occurred"])] = "occurred"
    """Sort by time of occurrence, as in a timeline, or by time of recording, which misses nothing when continued
    later."""
    limit: Annotated[int, Field(ge=1, le=EVENTS_PAGE_MAX, examples=[100])] = 100
    """Maximum number of events."""
    cursor: Annotated[str | None, Field(max_length=MAX_CURSOR_LENGTH)] = None
    """`next_cursor` of the previous response."""
    format: Annotated[FormatName, Field(examples=["epcis"])] = "otep"
    """Format of the events: the native list, or one of its projections."""


class OtepEventList(Answer):
    """Events of one tracking number.

    Each has its subject, so it is complete by itself.
    """

    result: bool = True
    otep_version: str = OTEP_VERSION
    format: Annotated[str, doc("Format of the events.", "otep")] = "otep"
    tracking_number: str
    events: Annotated[list[TrackingEvent], doc("Events in the native form; empty for other formats.")]
    next_cursor: Annotated[str | None, doc("Cursor after the last of these events; null if there are none yet.")]
    more: Annotated[bool, doc("True if further events exist.")]
    data: Annotated[Any | UnsetType, doc("Events in the requested other format.")] = UNSET

    @property
    def document(self) -> Any:
        """Return the events alone, in the requested format."""
        return self.events if self.data is UNSET else self.data


class GetOtepTrackingsBatch(Request):
    """Many tracking numbers."""

    tracking_numbers: Annotated[
        tuple[TrackingNumber, ...], Field(min_length=1, max_length=BATCH_NUMBERS_MAX, examples=[["HL7XK2M9QA"]])
    ]
    """At most 200 numbers; each has one entry, in this order."""
    format: Annotated[FormatName, Field(examples=["otep"])] = "otep"
    """Format of every `data`."""


class OtepBatchEntry(Answer):
    """Result for one of the numbers."""

    tracking_number: str
    found: bool
    data: Annotated[Any | UnsetType, doc("Timeline, as in a single request; absent if not found.")] = UNSET
    code: Annotated[str | UnsetType, doc("Reason for missing `data`.", "NOT_FOUND")] = UNSET
    message: Annotated[str | UnsetType, doc("Reason in the caller's language.")] = UNSET


class OtepBatchError(Answer):
    """A number without a timeline."""

    tracking_number: str
    code: Annotated[str, doc("Machine-readable reason.", "NOT_FOUND")]
    message: Annotated[str, doc("Reason in the caller's language.")]


class OtepBatch(Answer):
    """Results for many numbers. An unknown number does not fail the call."""

    result: bool = True
    format: Annotated[str, doc("Format of every `data`.", "otep")]
    found: Annotated[int, doc("Number of known tracking numbers.")]
    trackings: list[OtepBatchEntry]
    errors: Annotated[list[OtepBatchError], doc("Entries that were not found.")]

    @property
    def documents(self) -> list[Any]:
        """Return the documents in the order of the numbers; None if not found."""
        return [None if entry.data is UNSET else entry.data for entry in self.trackings]


class GetClientTrackings(Request):
    """A parcel of the client, by exactly one of number, order id or order reference."""

    tracking_number: Annotated[str | None, Field(min_length=1, max_length=100, examples=["HL7XK2M9QA"])] = None
    """Tracking number, assigned by Haulier or by a carrier."""
    order_id: TrackedOrderId | None = None
    """The order."""
    order_ref: TrackedOrderRef | None = None
    """Order reference of the business."""
    format: Annotated[FormatName, Field(examples=["otep"])] = "otep"
    """Format of every `data`."""


class ClientTrackings(Answer):
    """The full timelines of an order's parcels."""

    result: bool = True
    format: str
    trackings: list[OtepBatchEntry]
