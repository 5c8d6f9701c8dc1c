"""When a chat can be written in: it closes a while after its order has ended."""

from datetime import datetime, timedelta

from msgspec import Struct

from haulier.kernel.operations.errors import declare_error

CHAT_CLOSED = declare_error("chat_closed", 409)
CHAT_BLOCKED = declare_error("chat_blocked", 403)
REPORT_RESOLVED = declare_error("chat_report_resolved", 409)
QUICK_REPLY_UNKNOWN = declare_error("quick_reply_unknown", 409)

GRACE_HOURS, GRACE_HOURS_MAX = 24, 720
"""For how long after the end of an order people can still write, unless the business says otherwise."""


class ChatState(Struct, frozen=True, kw_only=True):
    """Whether people can write, and until when."""

    closes_at: datetime | None
    open: bool
    blocked: bool = False

    @property
    def can_write(self) -> bool:
        """Whether this party can write now."""
        return self.open and not self.blocked


def chat_state(ended_at: datetime | None, grace_hours: int, now: datetime, *, blocked: bool = False) -> ChatState:
    """The state of the chat of an order that ended then; None for one that goes on."""
    closes_at = ended_at and ended_at + timedelta(hours=grace_hours)
    return ChatState(closes_at=closes_at, open=closes_at is None or now < closes_at, blocked=blocked)


def require_writable(state: ChatState) -> None:
    """Raises `CHAT_CLOSED` after the end, `CHAT_BLOCKED` for somebody whom the office has stopped."""
    if not state.open:
        raise CHAT_CLOSED()
    if state.blocked:
        raise CHAT_BLOCKED()


def next_mark(before: int, said: int | None, last: int) -> int:
    """How far a mark stands after somebody said so: never back, and never beyond the last message."""
    return max(before, min(said or 0, last))
