"""Rules for push notifications and their recipients."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Protocol

from haulier.contexts.chat.order_chat.rules.parties import NOBODY, ChatParty, ChatRole, marks_by_role, shares_marks
from haulier.kernel.operations.errors import declare_error

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


def parties_to_wake(
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


def is_woken(device_user: int, parties: Iterable[ChatParty]) -> bool:
    """Return True if a device belongs to a party to notify. User 0 is the recipient."""
    return any(
        party.user_id == device_user and (device_user != NOBODY or party.role is ChatRole.RECIPIENT)
        for party in parties
    )
