"""What chats need from outside."""

from datetime import datetime
from enum import StrEnum
from typing import Protocol

from msgspec import Struct


class PushKind(StrEnum):
    """By which service a device is reached."""

    WEB = "web"
    FCM = "fcm"
    APNS = "apns"


class PushTarget(Struct, frozen=True, kw_only=True):
    """Where a device is reached: of a browser the URL of its push service with its keys, of an app its registration token,
    which Apple calls a device token."""

    kind: PushKind
    address: str
    p256dh: str | None = None
    auth: str | None = None


class PushNote(Struct, frozen=True, kw_only=True):
    """What a device is told. `type` is the interface's word; `page` is where a tap leads to."""

    type: str = "order_chat_message"
    order_id: int
    message_id: int
    title: str
    body: str
    page: str


class PushGone(Exception):
    """The device has withdrawn: its app is gone, or its owner wants nothing more.

    `since` is the moment up to which its service knows that; a device that registered later is there again.
    """

    def __init__(self, reason: str, *, since: datetime | None = None) -> None:
        super().__init__(reason)
        self.since = since


class PushRefused(Exception):
    """The service of the device will never take this."""


class PhonePusher(Protocol):
    """Wakes devices, whether their app is open or not."""

    @property
    def kinds(self) -> frozenset[PushKind]:
        """The services that can be used here."""
        ...

    @property
    def web_key(self) -> str | None:
        """The public key that a browser asks for before it lets itself be reached; None without web push."""
        ...

    async def push(self, target: PushTarget, note: PushNote) -> None:
        """Hand a note to the service of a device. Raises `PushGone`, `PushRefused`, and `OSError` when it is not taken now."""
        ...

    async def close(self) -> None:
        """Let go what is kept open to services."""
        ...
