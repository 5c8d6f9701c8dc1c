"""The main menu: what somebody finds there follows from what they may ask for."""

from typing import NamedTuple

from haulier.kernel.application import Application
from haulier.web.session import WebSession


class MenuEntry(NamedTuple):
    """A line of the menu. `operation` is what the page asks first; None where anybody may look."""

    address: str
    label: str
    operation: str | None = None


MENU_ENTRIES = (
    MenuEntry("/track", "page.track"),
    MenuEntry("/dispatch", "dispatch_page.title", "dispatch_board"),
    MenuEntry("/mcp-approvals", "page.approvals", "list_pending_approvals"),
    MenuEntry("/api/docs", "page.reference"),
)


def menu_for(app: Application, session: WebSession | None) -> list[MenuEntry]:
    """The entries for somebody who is signed in, or for nobody in particular."""
    return [entry for entry in MENU_ENTRIES if entry.operation is None or _may_use(app, session, entry.operation)]


def _may_use(app: Application, session: WebSession | None, operation: str) -> bool:
    return session is not None and session.account in app.registry[operation].audience
