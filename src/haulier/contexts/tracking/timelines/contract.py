"""Timelines: requests and answers."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.contexts.otep.public import Timeline
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.moments import Moment

SUBJECTS_ASKED_MAX = 200

TrackingNumber = Annotated[str, Field(min_length=1, max_length=100, examples=["HL7XK2M9QA"])]
TrackedOrderId = Annotated[int, Field(ge=1, le=2**53 - 1)]
TrackedOrderRef = Annotated[str, Field(min_length=1, max_length=100, examples=["A-1001"])]


class TrackPackage(Request):
    """A tracking number."""

    number: TrackingNumber
    """The number on the label or in the message to the recipient."""


class PackageTrackingEvent(Answer, omit_defaults=True):
    """An event without personal data."""

    occurred_at: Annotated[datetime, doc("Time with the offset reported by the source.", "2026-06-10T11:30:00-04:00")]
    status_code: Annotated[str, doc("OTEP status code.", "out_for_delivery")]
    phase: Annotated[str, doc("OTEP phase.", "out_for_delivery")]
    description: Annotated[str, doc("Status in the caller's language.", "Out for delivery")]
    city: str | UnsetType = UNSET
    country: Annotated[str | UnsetType, doc("Country code, ISO 3166-1 alpha-2.", "CA")] = UNSET


class PackageTracking(Answer):
    """The public view of a parcel: its status and events."""

    result: bool = True
    tracking_number: str
    status: Annotated[str | None, doc("OTEP status code; null before the first event.", "delivered")]
    status_description: Annotated[str | None, doc("Status in the caller's language.", "Delivered")]
    phase: Annotated[
        str | None, doc("Phase: pre_shipment, pickup, inbound, transit, out_for_delivery or delivered.", "delivered")
    ]
    delivered: bool
    terminal: Annotated[bool, doc("True if the journey is over: delivered, returned, rejected or cancelled.")]
    events: Annotated[list[PackageTrackingEvent], doc("Events in order of time, oldest first.")]
    replaced_by: Annotated[
        str | None, doc("Number under which it continues after it was sent to another address.", "HL7XK2M9QB")
    ] = None


class GetOperationEvents(Request):
    """Numbers, order ids or order references: at least one, at most 200 in all."""

    tracking_numbers: Annotated[tuple[TrackingNumber, ...], Field(max_length=SUBJECTS_ASKED_MAX)] = ()
    """Tracking numbers, assigned by Haulier or by carriers."""
    order_ids: Annotated[tuple[TrackedOrderId, ...], Field(max_length=SUBJECTS_ASKED_MAX)] = ()
    """Order IDs."""
    order_refs: Annotated[tuple[TrackedOrderRef, ...], Field(max_length=SUBJECTS_ASKED_MAX)] = ()
    """Order references of the business."""
    since: Moment | None = None
    """Only events recorded after this time: for asking again later."""


class TrackedSubject(Answer):
    """One timeline in full."""

    tracking_number: str
    order_id: int | None
    order_ref: str | None
    timeline: Timeline


class TrackingNotFound(Answer, omit_defaults=True):
    """A number, order id or reference under which the caller has no timeline."""

    tracking_number: str | UnsetType = UNSET
    order_id: int | UnsetType = UNSET
    order_ref: str | UnsetType = UNSET
    message: str


class OperationEvents(Answer):
    """Timelines that were found, and identifiers that were not."""

    result: bool = True
    trackings: list[TrackedSubject]
    errors: list[TrackingNotFound]
