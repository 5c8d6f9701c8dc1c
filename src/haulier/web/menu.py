"""The main menu: pages whose first operation the reader may call, or public pages."""

from typing import Any, NamedTuple

from haulier.contexts.control_tower.approvals.operations import list_pending_approvals
from haulier.contexts.dispatch.board.operations import dispatch_board
from haulier.contexts.driver_app.day.operations import get_rider_day
from haulier.contexts.orders.delivery_orders.operations.query import get_orders
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.registry import Registry
from haulier.kernel.pipeline.authorise import disabled_module
from haulier.web.session import WebSession


class MenuEntry(NamedTuple):
    """A line of the menu. `operation` is the first of the page; None if public."""

    address: str
    label: str
    operation: str | None = None


START = MenuEntry("/", "page.start")
TRACKING = MenuEntry("/track", "page.track")
BOARD = MenuEntry("/dispatch", "dispatch_page.title", dispatch_board.name)
DESK = MenuEntry("/desk", "desk.title", get_orders.name)
GO = MenuEntry("/go", "go.title", get_rider_day.name)
MENU_ENTRIES = (
    DESK,
    TRACKING,
    BOARD,
    GO,
    MenuEntry("/handheld", "handheld.title", "record_scan"),
    MenuEntry("/mcp-approvals", "page.approvals", list_pending_approvals.name),
    MenuEntry("/api/docs", "page.reference"),
)


def home_of(account: Account | None) -> MenuEntry:
    """Return the start address: desk, driver app, or start page if signed out."""
    if account is None:
        return START
    return GO if account is Account.DRIVER else DESK


def menu_for(session: WebSession | None, registry: Registry) -> list[MenuEntry]:
    """The entries for a session, or for public pages without one."""
    return [
        entry
        for entry in MENU_ENTRIES
        if (session is None if entry.operation is None else _may_use(session, registry.get(entry.operation)))
    ]


def _may_use(session: WebSession | None, operation: Operation[Any, Any] | None) -> bool:
    return (
        session is not None
        and operation is not None
        and session.account in operation.audience
        and disabled_module(operation, session.modules) is None
    )
