"""Who takes part in the chat about an order, and what of each other they see."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from haulier.kernel.operations.enums import Account

NOBODY = 0
"""The user of a party without an account."""


class ChatRole(StrEnum):
    """In which role somebody takes part."""

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
"""Those who do not work for the business or for its contractors."""


class ChatParty(Struct, frozen=True):
    """Somebody who takes part. `user_id` is 0 for a recipient, who has no account."""

    role: ChatRole
    user_id: int = NOBODY


class ParticipantMarks(Protocol):
    """How far somebody has received and read a chat."""

    role: str
    user_id: int
    delivered_up_to: int
    read_up_to: int


class RoleMarks(Struct, frozen=True):
    """How far a role has received and read: the furthest of its people, because the office answers as one."""

    delivered_up_to: int = 0
    read_up_to: int = 0


def marks_by_role(participants: Iterable[ParticipantMarks]) -> dict[ChatRole, RoleMarks]:
    """How far each role is."""
    marks: dict[ChatRole, RoleMarks] = {}
    for participant in participants:
        role = ChatRole(participant.role)
        before = marks.get(role, RoleMarks())
        marks[role] = RoleMarks(
            max(before.delivered_up_to, participant.delivered_up_to), max(before.read_up_to, participant.read_up_to)
        )
    return marks


def shares_marks(role: ChatRole) -> bool:
    """Whether what one person in this role has read, all have: dispatchers share one desk."""
    return role is ChatRole.DISPATCHER


def name_shown(viewer: ChatRole, sender: ChatRole, name: str | None) -> str | None:
    """The name of a sender as a viewer sees it: colleagues whole, outside a driver by the first name, the office by none."""
    if name is None or viewer not in OUTSIDE:
        return name
    return name.split()[0] if sender is ChatRole.DRIVER and name.split() else None
