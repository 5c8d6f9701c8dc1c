"""Rules of members and grants, and the shared view of a timeline."""

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
    """State of a membership."""

    INVITED = "invited"
    ACTIVE = "active"
    DECLINED = "declined"
    LEFT = "left"
    REMOVED = "removed"
    ENDED = "ended"


PRESENT = frozenset({AllianceMemberState.INVITED, AllianceMemberState.ACTIVE})
"""A current or invited business is present once; former ones may be invited again."""


def check_departure(state: AllianceMemberState, *, is_founder: bool) -> OperationError | None:
    """Return why a member cannot leave, or None.

    The founder ends the alliance instead.
    """
    if state not in PRESENT:
        return ALLIANCE_NOT_ANSWERABLE(state=state.value)
    return ALLIANCE_FOUNDER_STAYS() if is_founder else None


class SharedNumbers(StrEnum):
    """Parcels that a grant covers."""

    ALL = "all"
    LISTED = "listed"


class SharedField(StrEnum):
    """Fields beyond a recipient's page of codes, times, cities and countries."""

    LOCATIONS = "locations"
    REASONS = "reasons"
    SOURCES = "sources"
    PEOPLE = "people"
    PROOF = "proof"
    REFERENCES = "references"


class TrackingGrantState(StrEnum):
    """State of a grant.

    `expired` follows from the time; `ended` also from either side having left the alliance.
    """

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
"""Parts of an event that a field shares whole."""


def grant_state(
    *, live: bool, both_belong: bool, suspended: bool, expires_at: datetime | None, now: datetime
) -> TrackingGrantState:
    """Return the current state of a grant.

    `both_belong`: giver and reader have belonged to the alliance since it was granted.
    """
    if not live or not both_belong:
        return TrackingGrantState.ENDED
    if expires_at is not None and expires_at <= now:
        return TrackingGrantState.EXPIRED
    return TrackingGrantState.SUSPENDED if suspended else TrackingGrantState.IN_FORCE


def shared_view(whole: Timeline, fields: Collection[str], describe: DescribeStatus) -> Timeline:
    """Return the shared view of a timeline: a recipient's page, and granted fields.

    Voided events, extensions and links to files are never shared.
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
