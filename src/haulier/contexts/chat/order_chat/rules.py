"""Participants of an order's chat, and the names they see."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from haulier.kernel.operations.enums import Account

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
