"""Native records of the protocol: a timeline and its events.

Four dimensions shape an event: What (subject), When (`occurred_at`, `recorded_at`), Where (`location`) and Why
(`status_code`, optional `incident_reason`). Posted events need only a subject, a time and a status; events that we
write name the source too. An absent field is omitted from the document and never sent as null.
"""

from datetime import datetime
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from haulier.kernel.operations.ids import PieceId

OTEP_VERSION = "0.1.0"


class OtepRecord(Struct, frozen=True, kw_only=True, gc=False):
    """A frozen protocol record whose absent fields are left out of the document.

    It holds no cycles, so the garbage collector need not look at it.
    """


class Subject(OtepRecord, frozen=True, kw_only=True):
    """A tracked subject. At least one identifier is present."""

    tracking_number: str | UnsetType = UNSET
    order_id: int | UnsetType = UNSET
    package_id: PieceId | UnsetType = UNSET
    external_tracking_number: str | UnsetType = UNSET
    gs1_sscc: str | UnsetType = UNSET
    piece_id: str | UnsetType = UNSET


class Location(OtepRecord, frozen=True, kw_only=True):
    """Place of an event.

    `lat` and `lng` are WGS 84 degrees; `country` is ISO 3166-1 alpha-2.
    """

    name: str | UnsetType = UNSET
    address: str | UnsetType = UNSET
    city: str | UnsetType = UNSET
    region: str | UnsetType = UNSET
    country: str | UnsetType = UNSET
    postal_code: str | UnsetType = UNSET
    lat: float | UnsetType = UNSET
    lng: float | UnsetType = UNSET
    gln: str | UnsetType = UNSET
    unlocode: str | UnsetType = UNSET


class IncidentReason(OtepRecord, frozen=True, kw_only=True):
    """Why it went wrong: a code of the reason list, and free words."""

    code: str
    note: str | UnsetType = UNSET


class Source(OtepRecord, frozen=True, kw_only=True):
    """Source of an event.

    `type` is self_delivery, third_party, carrier, partner or system.
    """

    type: str
    name: str | UnsetType = UNSET
    reference: str | UnsetType = UNSET


class EventActor(OtepRecord, frozen=True, kw_only=True):
    """The driver, user or device that caused the event."""

    type: str
    id: str | UnsetType = UNSET


class ProofOfDelivery(OtepRecord, frozen=True, kw_only=True):
    """Proof of the hand-over."""

    recipient: str | UnsetType = UNSET
    signature_url: str | UnsetType = UNSET
    photo_urls: tuple[str, ...] | UnsetType = UNSET


class UndeliveredPiece(OtepRecord, frozen=True, kw_only=True):
    """A piece that was not handed over: `missing`, `damaged` or `refused`."""

    tracking_number: str
    outcome: str


class OutcomePieces(OtepRecord, frozen=True, kw_only=True):
    """Pieces of a delivery in part."""

    total: int
    delivered: int
    left: tuple[UndeliveredPiece, ...] | UnsetType = UNSET


class DeliveryOutcome(OtepRecord, frozen=True, kw_only=True):
    """Result of a delivery: recipient, place, and packages not handed over.

    `handed_to` is recipient, household, neighbour, safe_place, reception, mailbox, locker or other.
    """

    handed_to: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    left_at: str | UnsetType = UNSET
    pieces: OutcomePieces | UnsetType = UNSET


class TrackingEvent(OtepRecord, frozen=True, kw_only=True):
    """An event of a subject.

    In a timeline the subject is stated once, beside the events.
    """

    event_id: str
    occurred_at: datetime
    status_code: str
    phase: str
    source: Source
    recorded_at: datetime | UnsetType = UNSET
    otep_version: str = OTEP_VERSION
    description: str | UnsetType = UNSET
    location: Location | UnsetType = UNSET
    incident_reason: IncidentReason | UnsetType = UNSET
    actor: EventActor | UnsetType = UNSET
    pod: ProofOfDelivery | UnsetType = UNSET
    outcome: DeliveryOutcome | UnsetType = UNSET
    """Only where it was reported."""
    late: bool | UnsetType = UNSET
    """Occurred after, or arrived after, a terminal event: kept, but the status does not move."""
    raw_status: str | UnsetType = UNSET
    extensions: dict[str, Any] | UnsetType = UNSET
    subject: Subject | UnsetType = UNSET
    """Subject of the event, if it stands alone."""


class Correction(OtepRecord, frozen=True, kw_only=True):
    """An error declaration: it voids a reported event. Events are never edited.

    `reason` is `did_not_occur` or `incorrect_data`; the replacing events are in `corrective_event_ids`.
    """

    event_id: str
    declared_at: datetime
    reason: str | UnsetType = UNSET
    corrective_event_ids: tuple[str, ...] | UnsetType = UNSET
    source: Source | UnsetType = UNSET


class VoidedEvent(OtepRecord, frozen=True, kw_only=True):
    """A voided event, and the declaration that voided it."""

    event: TrackingEvent
    correction: Correction


class Timeline(OtepRecord, frozen=True, kw_only=True):
    """Everything that happened to one subject, in time order."""

    profile: str
    subject: Subject
    events: tuple[TrackingEvent, ...] = ()
    otep_version: str = OTEP_VERSION
    current_status: str | UnsetType = UNSET
    current_phase: str | UnsetType = UNSET
    delivered: bool = False
    terminal: bool = False
    voided: tuple[VoidedEvent, ...] | UnsetType = UNSET
    """Voided events. They concern the record and not the subject, so they stand beside the events."""
