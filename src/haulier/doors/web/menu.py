"""The main menu: what somebody finds there follows from what they may ask for."""

from typing import NamedTuple

from haulier.doors.web.session import Session
from haulier.kernel.house import House


class Entry(NamedTuple):
    """A line of the menu. `operation` is what the page asks first; None where anybody may look."""

    address: str
    words: str
    operation: str | None = None


ENTRIES = (
    Entry("/track", "page.track"),
    Entry("/dispatch", "dispatch_page.title", "dispatch_board"),
    Entry("/mcp-approvals", "page.approvals", "list_pending_approvals"),
    Entry("/api/docs", "page.reference"),
)


def menu(house: House, session: Session | None) -> list[Entry]:
    """The entries for somebody who is signed in, or for nobody in particular."""
    return [entry for entry in ENTRIES if entry.operation is None or _may(house, session, entry.operation)]


def _may(house: House, session: Session | None, operation: str) -> bool:
    return session is not None and session.account in house.registry[operation].audience
