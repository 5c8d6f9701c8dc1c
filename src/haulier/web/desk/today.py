"""Home page: open work with the action for each, and metrics of the day."""

from typing import Any

from msgspec import Struct
from starlette.responses import Response

from haulier.contexts.control_tower.overview.operations import daily_digest
from haulier.contexts.control_tower.overview.rules import AttentionKind
from haulier.contexts.dispatch.monitoring.operations import dispatch_drivers, dispatch_exceptions
from haulier.kernel.operations.enums import Account
from haulier.web.desk.live_parts import LivePart
from haulier.web.desk.pages import DeskRequest
from haulier.web.desk.shop import shop_page

SHOWN = 8
ENDS: dict[AttentionKind, tuple[str, str]] = {
    AttentionKind.APPROVALS: ("/mcp-approvals", "bad"),
    AttentionKind.LATE_ORDERS: ("/desk/exceptions?kinds=late", "bad"),
    AttentionKind.FAILED_ORDERS: ("/desk/orders?status=FAILED", "bad"),
    AttentionKind.HELD_ORDERS: ("/desk/orders?status=HOLD", "warn"),
    AttentionKind.UNPLANNED_ORDERS: ("/dispatch", "warn"),
    AttentionKind.ORDERS_WITHOUT_COORDINATES: ("/desk/unplaced-orders", "warn"),
    AttentionKind.ORDERS_OF_DISABLED_CONTRACTORS: ("/desk/broker-order-assignments", "warn"),
    AttentionKind.PIECES_MISSING: ("/desk/piece-exceptions?kind=piece_missing", "bad"),
    AttentionKind.PIECES_DAMAGED: ("/desk/piece-exceptions?kind=piece_damaged", "bad"),
    AttentionKind.ROUTES_WITHOUT_DRIVER: ("/desk/routes?unassigned=true", "warn"),
    AttentionKind.STOCK_SHORTAGES: ("/desk/shortages", "bad"),
}
"""Where each thing that waits is dealt with, and how pressing it is."""


class WaitingLine(Struct, frozen=True):
    """Something that waits."""

    kind: str
    count: int
    address: str
    mood: str


async def today_page(desk: DeskRequest) -> Response:
    """The first page of the desk: customers see their shop."""
    if desk.session.account is Account.CUSTOMER:
        return await shop_page(desk)
    found = await load_today(desk)
    return desk.page(
        "desk_today.html",
        digest=found["digest"],
        **TODAY.shown(desk, found),
        call=daily_digest if desk.may(daily_digest) else None,
        values={},
    )


async def load_today(desk: DeskRequest) -> dict[str, Any]:
    """The day in figures, what waits, and who is on the road; each for whom it is."""
    digest = await desk.read_if_allowed(daily_digest)
    exceptions = await desk.read_if_allowed(dispatch_exceptions, per_page=SHOWN)
    drivers = await desk.read_if_allowed(dispatch_drivers, per_page=SHOWN)
    waiting = digest.get("needs_attention") or []
    lines = [WaitingLine(each["kind"], each["count"], *ENDS[AttentionKind(each["kind"])]) for each in waiting]
    return {
        "digest": digest,
        "lines": sorted(lines, key=lambda line: (line.mood != "bad", -line.count)),
        "exceptions": exceptions.get("exceptions") or [],
        "drivers": drivers.get("drivers") or [],
    }


TODAY = LivePart(
    name="today",
    template="desk_today_live.html",
    load=load_today,
    reads=(daily_digest, dispatch_exceptions, dispatch_drivers),
    about=("order", "route", "driver", "pending_write"),
)
