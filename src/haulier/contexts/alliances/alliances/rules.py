"""The state of members and grants, who may do what in an alliance, and what a grant shows of a timeline."""

from collections.abc import Collection
from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec.structs import replace

from haulier.contexts.otep.public import DescribeStatus, ProofOfDelivery, Timeline, TrackingEvent, public_view
from haulier.kernel.operations.errors import OperationError, declare_error

ALLIANCE_MEMBER_EXISTS = declare_error("alliance_member_exists", 409)
ALLIANCE_NOT_ANSWERABLE = declare_error("alliance_not_answerable", 409)
ALLIANCE_FOUNDER_ONLY = declare_error("alliance_founder_only", 403)
ALLIANCE_FOUNDER_STAYS = declare_error("alliance_founder_stays", 409)
ALLIANCE_NOT_A_MEMBER = declare_error("alliance_not_a_member", 409)
TRACKING_NOT_GRANTED = declare_error("tracking_not_granted", 403)
TRACKING_GRANT_ENDED = declare_error("tracking_grant_ended", 409)


class AllianceMemberState(StrEnum):
    """Where a business stands in an alliance."""

    INVITED = "invited"
    ACTIVE = "active"
    DECLINED = "declined"
    LEFT = "left"
    REMOVED = "removed"
    ENDED = "ended"


PRESENT = frozenset({AllianceMemberState.INVITED, AllianceMemberState.ACTIVE})
"""A business that was invited or belongs to it is there once; those who went may be invited again."""


def check_departure(state: AllianceMemberState, *, is_founder: bool) -> OperationError | None:
    """Why a member cannot go, or None. The founder ends the alliance instead."""
    if state not in PRESENT:
        return ALLIANCE_NOT_ANSWERABLE(state=state.value)
    return ALLIANCE_FOUNDER_STAYS() if is_founder else None


class SharedNumbers(StrEnum):
    """Which parcels a grant is about."""

    ALL = "all"
    LISTED = "listed"


class SharedField(StrEnum):
    """What a grant shows beyond a recipient's page: that has codes, times, cities and countries."""

    LOCATIONS = "locations"
    REASONS = "reasons"
    SOURCES = "sources"
    PEOPLE = "people"
    PROOF = "proof"
    REFERENCES = "references"


class TrackingGrantState(StrEnum):
    """The state of a grant. `expired` follows from the time; `ended` also from either side having left the alliance."""

    IN_FORCE = "in_force"
    SUSPENDED = "suspended"
    EXPIRED = "expired"
    ENDED = "ended"


_PARTS = {
    SharedField.LOCATIONS: ("location",),
    SharedField.REASONS: ("incident_reason",),
    SharedField.SOURCES: ("source", "raw_status"),
    SharedField.PEOPLE: ("actor",),
}
"""The parts of an event that a field shows whole."""


def grant_state(
    *, live: bool, both_belong: bool, suspended: bool, expires_at: datetime | None, now: datetime
) -> TrackingGrantState:
    """The state of a grant now. `both_belong`: giver and reader have belonged to the alliance since it was granted."""
    if not live or not both_belong:
        return TrackingGrantState.ENDED
    if expires_at is not None and expires_at <= now:
        return TrackingGrantState.EXPIRED
    return TrackingGrantState.SUSPENDED if suspended else TrackingGrantState.IN_FORCE


def shared_view(whole: Timeline, fields: Collection[str], describe: DescribeStatus) -> Timeline:
    """What a grant with these fields shows of a timeline: a recipient's page, and each field that was granted.

    Voided events, extensions and links to files are never shown.
    """
    public = public_view(whole, describe)
    events = [_shared_event(seen, event, fields) for seen, event in zip(public.events, whole.events, strict=True)]
    subject = whole.subject if SharedField.REFERENCES in fields else public.subject
    return replace(public, subject=subject, events=tuple(events))


def _shared_event(public: TrackingEvent, whole: TrackingEvent, fields: Collection[str]) -> TrackingEvent:
    shown: dict[str, Any] = {
        part: getattr(whole, part) for field, parts in _PARTS.items() if field in fields for part in parts
    }
    if SharedField.PROOF in fields and whole.pod:
        shown["pod"] = ProofOfDelivery(recipient=whole.pod.recipient)
    return replace(public, **shown) if shown else public
