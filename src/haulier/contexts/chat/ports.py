"""External services of chats."""

from datetime import datetime
from enum import StrEnum
from typing import Protocol

from msgspec import Struct


class PushKind(StrEnum):
    """Push service of a device."""

    WEB = "web"
    FCM = "fcm"
    APNS = "apns"


class PushTarget(Struct, frozen=True, kw_only=True):
    """Push address of a device.

    For a browser it is the URL of its push service with its keys; for an app its registration token, called a device
    token by Apple.
    """

    kind: PushKind
    address: str
    p256dh: str | None = None
    auth: str | None = None


class PushNote(Struct, frozen=True, kw_only=True):
    """Push notification. `type` is the interface's name; `page` opens on a tap."""

    type: str = "order_chat_message"
    order_id: int
    message_id: int
    title: str
    body: str
    page: str


class PushGone(Exception):
    """Raised when a device has unregistered.

    `since` is the time at which its service knew that. A later registration is valid again.
    """

    def __init__(self, reason: str, *, since: datetime | None = None) -> None:
        super().__init__(reason)
        self.since = since


class PushRefused(Exception):
    """Raised when the push service permanently rejects a notification."""


class PhonePusher(Protocol):
    """Push client that reaches devices with closed apps, too."""

    @property
    def kinds(self) -> frozenset[PushKind]:
        """Return the available push services."""
        ...

    @property
    def web_key(self) -> str | None:
        """Return the public key for browser subscriptions, or None without web push."""
        ...

    async def push(self, target: PushTarget, note: PushNote) -> None:
        """Send a notification to the service of a device.

        Raises `PushGone`, `PushRefused`, and `OSError` if the service is unavailable.
        """
        ...

    async def close(self) -> None:
        """Close open connections to services."""
        ...
