"""Events that tracking publishes."""

from datetime import datetime
from typing import Any

from msgspec import Struct

from haulier.kernel.background.events import DomainEvent


class TrackingUpdate(Struct, frozen=True, kw_only=True):
    """One new event on one timeline."""

    tracking_number: str
    event_id: str
    status_code: str
    phase: str
    occurred_at: datetime
    order_id: int | None = None
    package_id: int | None = None


class TrackingRecorded(DomainEvent, frozen=True, kw_only=True):
    """Events were added to timelines, all in one transaction."""

    updates: tuple[TrackingUpdate, ...]


class ParcelsReported(DomainEvent, frozen=True, kw_only=True):
    """Parcels without an order were reported: bought labels, and inbound parcels.

    Covers reports by push, poll or scan, but not those that only announce a parcel.
    """

    updates: tuple[TrackingUpdate, ...]


class RefusedScan(Struct, frozen=True, kw_only=True):
    """An event of a carrier's webhook that was refused."""

    path: str
    tracking_number: str
    reference: str | None
    status_code: str
    occurred_at: datetime | None
    reasons: tuple[dict[str, Any], ...]


class CarrierPushRefused(DomainEvent, frozen=True, kw_only=True):
    """A carrier's webhook was not fully understood. `document` is the original.

    `reasons` are about the whole webhook, `scans` are single events that were rejected.
    """

    provider_id: int
    provider: str = ""
    sender: str = ""
    tracking_number: str = ""
    reasons: tuple[dict[str, Any], ...] = ()
    push_id: str
    pushed_at: datetime
    document: str
    scans: tuple[RefusedScan, ...]


class OrderJourneysChanged(DomainEvent, frozen=True, kw_only=True):
    """Providers ended journeys of parcels of these orders, or voided an end.

    The timelines have the current state.
    """

    order_ids: tuple[int, ...]


class TrackingCorrected(DomainEvent, frozen=True, kw_only=True):
    """Sources voided events, so the status of these numbers may have changed."""

    tracking_numbers: tuple[str, ...]
