"""Rules of order chats."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import declare_error

NOBODY = 0
"""User id of a party without an account."""


class ChatRole(StrEnum):
    """Role of a participant."""

    CUSTOMER = "customer"
    RECIPIENT = "recipient"
    DRIVER = "driver"
    CONTRACTOR = "contractor"
    DISPATCHER = "dispatcher"


ROLE_OF_ACCOUNT: Mapping[Account, ChatRole] = {
    Account.CLIENT_ADMIN: ChatRole.DISPATCHER,
    Account.EMPLOYEE: ChatRole.DISPATCHER,
    Account.CONTRACTOR: ChatRole.CONTRACTOR,
    Account.DRIVER: ChatRole.DRIVER,
    Account.CUSTOMER: ChatRole.CUSTOMER,
}
OUTSIDE = frozenset({ChatRole.CUSTOMER, ChatRole.RECIPIENT})
"""Roles outside the business and its contractors."""


class ChatParty(Struct, frozen=True):
    """Participant. `user_id` is 0 for a recipient, who has no account."""

    role: ChatRole
    user_id: int = NOBODY


class ParticipantMarks(Protocol):
    """Read and delivery marks of a participant."""

    role: str
    user_id: int
    delivered_up_to: int
    read_up_to: int


class RoleMarks(Struct, frozen=True):
    """Read and delivery marks of a role: the furthest of its users."""

    delivered_up_to: int = 0
    read_up_to: int = 0


def marks_by_role(participants: Iterable[ParticipantMarks]) -> dict[ChatRole, RoleMarks]:
    """Return the marks of each role."""
    marks: dict[ChatRole, RoleMarks] = {}
    for participant in participants:
        role = ChatRole(participant.role)
        before = marks.get(role, RoleMarks())
        marks[role] = RoleMarks(
            max(before.delivered_up_to, participant.delivered_up_to), max(before.read_up_to, participant.read_up_to)
        )
    return marks


def shares_marks(role: ChatRole) -> bool:
    """Return True if users of the role share their marks, as dispatchers do."""
    return role is ChatRole.DISPATCHER


def name_shown(viewer: ChatRole, sender: ChatRole, name: str | None) -> str | None:
    """Return the sender's name as a viewer sees it.

    Colleagues see the full name. Others see a driver's first name, and no name for staff.
    """
    if name is None or viewer not in OUTSIDE:
        return name
    return name.split()[0] if sender is ChatRole.DRIVER and name.split() else None


PUSH_KIND_OFF = declare_error("push_kind_off", 409)
DEVICES_MAX = 20
"""Maximum number of devices per user. A new one replaces the longest unused device."""
PUSH_AFTER = timedelta(seconds=5)
"""Delay before a push. An open page marks the message as read within this time."""


class PlaceInChat(Protocol):
    """Position of a participant in a chat."""

    role: str
    user_id: int
    delivered_up_to: int
    read_up_to: int
    muted_until: datetime | None


def parties_to_notify(
    sender: ChatParty,
    message_id: int,
    holders: Collection[ChatParty],
    places: Collection[PlaceInChat],
    now: datetime,
) -> set[ChatParty]:
    """Return the parties to notify: with access, without having read, sent or muted.

    Participating dispatchers are notified until one of them has read the message.
    """
    office = (ChatParty(ChatRole.DISPATCHER, place.user_id) for place in places if place.role == ChatRole.DISPATCHER)
    read = marks_by_role(places)
    silent = {(place.role, place.user_id) for place in places if place.muted_until and place.muted_until > now}
    seen = {(place.role, place.user_id) for place in places if place.read_up_to >= message_id}
    seen |= {(role, party.user_id) for role, party in _of_shared_roles(places) if read[role].read_up_to >= message_id}
    awake = {*holders, *office} - {sender}
    return {party for party in awake if (party.role, party.user_id) not in silent | seen}


def _of_shared_roles(places: Iterable[PlaceInChat]) -> list[tuple[ChatRole, ChatParty]]:
    roles = ((ChatRole(place.role), place.user_id) for place in places)
    return [(role, ChatParty(role, user_id)) for role, user_id in roles if shares_marks(role)]


def should_notify(device_user: int, parties: Iterable[ChatParty]) -> bool:
    """Return True if a device belongs to a party to notify. User 0 is the recipient."""
    return any(
        party.user_id == device_user and (device_user != NOBODY or party.role is ChatRole.RECIPIENT)
        for party in parties
    )


CHAT_CLOSED = declare_error("chat_closed", 409)
CHAT_BLOCKED = declare_error("chat_blocked", 403)
REPORT_RESOLVED = declare_error("chat_report_resolved", 409)
QUICK_REPLY_UNKNOWN = declare_error("quick_reply_unknown", 409)

GRACE_HOURS, GRACE_HOURS_MAX = 24, 720
"""Default and maximum number of hours in which messages can be sent after the end of an order."""


class ChatState(Struct, frozen=True, kw_only=True):
    """State of a chat: writable or not, and its closing time."""

    closes_at: datetime | None
    open: bool
    blocked: bool = False

    @property
    def can_write(self) -> bool:
        """Return True if this party can write now."""
        return self.open and not self.blocked


def chat_state(ended_at: datetime | None, grace_hours: int, now: datetime, *, blocked: bool = False) -> ChatState:
    """Return the state of a chat. `ended_at` is None for an active order."""
    closes_at = ended_at and ended_at + timedelta(hours=grace_hours)
    return ChatState(closes_at=closes_at, open=closes_at is None or now < closes_at, blocked=blocked)


def require_writable(state: ChatState) -> None:
    """Raise `CHAT_CLOSED` after the end, or `CHAT_BLOCKED` for a blocked participant."""
    if not state.open:
        raise CHAT_CLOSED()
    if state.blocked:
        raise CHAT_BLOCKED()


def next_mark(before: int, said: int | None, last: int) -> int:
    """Return the new position of a mark, never back or beyond the last message."""
    return max(before, min(said or 0, last))


_OUTSIDE = (ChatRole.CUSTOMER, ChatRole.RECIPIENT)
_OFFICE = (ChatRole.DISPATCHER, ChatRole.CONTRACTOR)
BUILT_IN: Mapping[str, tuple[ChatRole, ...]] = {
    "on_my_way": (ChatRole.DRIVER,),
    "running_late": (ChatRole.DRIVER, *_OFFICE),
    "at_the_door": (ChatRole.DRIVER,),
    "cannot_find_entrance": (ChatRole.DRIVER,),
    "coming_to_the_door": _OUTSIDE,
    "leave_at_the_door": _OUTSIDE,
    "not_at_home": _OUTSIDE,
    "looking_into_it": _OFFICE,
    "thank_you": tuple(ChatRole),
}
"""Quick replies of the platform by code, with their roles. Texts are messages `quick_reply.<code>`."""


class OwnQuickReply(Struct, frozen=True):
    """Quick reply of a business, by language, with its roles."""

    code: str
    texts: Mapping[str, str]
    roles: Sequence[str]


class ChatConfig(Struct, frozen=True):
    """Chat settings of a business."""

    grace_hours: int = GRACE_HOURS
    quick_replies: tuple[OwnQuickReply, ...] = ()


def text_in(texts: Mapping[str, str], language: str, fallback: str) -> str:
    """Return the text in a reader's language.

    Falls back to the business's language, English, and then any language.
    """
    for name in (language, fallback, "en"):
        if name in texts:
            return texts[name]
    return next(iter(texts.values()), "")
