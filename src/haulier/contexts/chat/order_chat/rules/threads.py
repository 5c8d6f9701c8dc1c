"""Rules for writing in a chat, which closes some time after its order ends."""

from datetime import datetime, timedelta

from msgspec import Struct

from haulier.kernel.operations.errors import declare_error

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
