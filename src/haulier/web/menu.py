"""The main menu: it lists the pages whose first operation the reader may call."""

from typing import Any, NamedTuple

from haulier.contexts.control_tower.approvals.operations import list_pending_approvals
from haulier.contexts.dispatch.board.operations import dispatch_board
from haulier.contexts.driver_app.day.operations import get_rider_day
from haulier.contexts.orders.delivery_orders.operations.query import get_orders
from haulier.contexts.warehouse.scans.operations import record_scan
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Account
from haulier.web.session import WebSession


class MenuEntry(NamedTuple):
    """A line of the menu. `operation` is what the page calls first; None where the page is open to everybody."""

    address: str
    label: str
    operation: Operation[Any, Any] | None = None


START = MenuEntry("/", "page.start")
TRACKING = MenuEntry("/track", "page.track")
BOARD = MenuEntry("/dispatch", "dispatch_page.title", dispatch_board)
DESK = MenuEntry("/desk", "desk.title", get_orders)
GO = MenuEntry("/go", "go.title", get_rider_day)
MENU_ENTRIES = (
    DESK,
    TRACKING,
    BOARD,
    GO,
    MenuEntry("/handheld", "handheld.title", record_scan),
    MenuEntry("/mcp-approvals", "page.approvals", list_pending_approvals),
    MenuEntry("/api/docs", "page.reference"),
)


def home_of(account: Account | None) -> MenuEntry:
    """Where somebody's work begins: the desk, for drivers their own app.

    The start page for somebody who is not signed in (None).
    """
    if account is None:
        return START
    return GO if account is Account.DRIVER else DESK


def menu_for(session: WebSession | None) -> list[MenuEntry]:
    """The entries for a session, or for somebody who is not signed in."""
    return [entry for entry in MENU_ENTRIES if entry.operation is None or _may_use(session, entry.operation)]


def _may_use(session: WebSession | None, operation: Operation[Any, Any]) -> bool:
    return session is not None and session.account in operation.audience
