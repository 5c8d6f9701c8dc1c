"""Home page: open work with the action for each, and metrics of the day."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct
from starlette.responses import Response

from haulier.contexts.control_tower.overview.operations import daily_digest, get_orders_summary
from haulier.contexts.control_tower.overview.rules import AttentionKind
from haulier.contexts.dispatch.monitoring.operations import dispatch_drivers, dispatch_exceptions, dispatch_progress
from haulier.contexts.orders.delivery_orders.rules.ratings import LOW_RATING_MAX, LOW_RATINGS_SHOWN_FOR
from haulier.kernel.operations.enums import Account
from haulier.web.desk.live_parts import LivePart
from haulier.web.desk.pages import DeskRequest
from haulier.web.desk.setup_progress import load_setup_progress
from haulier.web.desk.shop import shop_page

SHOWN = 8
DRIVERS_ON_MAP = 100
WEEK = timedelta(days=7)
ENDS: dict[AttentionKind, tuple[str, str]] = {
    AttentionKind.APPROVALS: ("/mcp-approvals", "bad"),
    AttentionKind.LATE_ORDERS: ("/desk/exceptions?kinds=late", "bad"),
    AttentionKind.FAILED_ORDERS: ("/desk/orders?status=FAILED", "bad"),
    AttentionKind.HELD_ORDERS: ("/desk/orders?status=HOLD", "warn"),
    AttentionKind.LOW_RATINGS: ("/desk/orders?rating_max={low}&rated_from={since}", "warn"),
    AttentionKind.UNPLANNED_ORDERS: ("/dispatch", "warn"),
    AttentionKind.ORDERS_WITHOUT_COORDINATES: ("/desk/unplaced-orders", "warn"),
    AttentionKind.ORDERS_OF_DISABLED_CONTRACTORS: ("/desk/broker-order-assignments", "warn"),
    AttentionKind.PIECES_MISSING: ("/desk/piece-exceptions?kind=piece_missing", "bad"),
    AttentionKind.PIECES_DAMAGED: ("/desk/piece-exceptions?kind=piece_damaged", "bad"),
    AttentionKind.ROUTES_WITHOUT_DRIVER: ("/desk/routes?unassigned=true", "warn"),
    AttentionKind.STOCK_SHORTAGES: ("/desk/stock-shortages", "bad"),
    AttentionKind.DRIVER_DOCUMENTS: ("/desk/driver-documents?due=true", "warn"),
    AttentionKind.VEHICLE_DOCUMENTS: ("/desk/vehicle-documents?due=true", "warn"),
    AttentionKind.VEHICLE_SERVICES: ("/desk/vehicles?service_due=true", "warn"),
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
        has_map=found["map"] is not None,
        setup=await load_setup_progress(desk),
        **TODAY.shown(desk, found),
        call=daily_digest if desk.may(daily_digest) else None,
        values={},
    )


async def load_today(desk: DeskRequest) -> dict[str, Any]:
    """Return the figures of the day and a week ago, open work, exceptions and routes.

    Each part is empty for accounts that may not read it.
    """
    digest = await desk.read_if_allowed(daily_digest)
    week_ago = desk.today - WEEK
    day = {"date_from": week_ago.isoformat(), "date_to": week_ago.isoformat()}
    before = await desk.read_if_allowed(get_orders_summary, **day)
    exceptions = await desk.read_if_allowed(dispatch_exceptions, per_page=SHOWN)
    drivers = (await desk.read_if_allowed(dispatch_drivers, per_page=DRIVERS_ON_MAP)).get("drivers") or []
    progress = await desk.read_if_allowed(dispatch_progress, per_page=SHOWN)
    waiting = digest.get("needs_attention") or []
    lines = [_waiting_line(desk, AttentionKind(each["kind"]), each["count"]) for each in waiting]
    return {
        "digest": digest,
        "before": before.get("total") or {},
        "before_day": desk.formatter.named_day(week_ago),
        "lines": sorted(lines, key=lambda line: (line.mood != "bad", -line.count)),
        "exceptions": exceptions.get("exceptions") or [],
        "routes": progress.get("routes") or [],
        "activity": {each["route_id"]: each for each in drivers if each["route_id"]},
        "map": _map_of(drivers),
    }


def _waiting_line(desk: DeskRequest, kind: AttentionKind, count: int) -> WaitingLine:
    address, mood = ENDS[kind]
    since = (desk.formatter.now - LOW_RATINGS_SHOWN_FOR).astimezone(ZoneInfo(desk.session.time_zone))
    return WaitingLine(kind, count, address.format(low=LOW_RATING_MAX, since=f"{since:%Y-%m-%dT%H:%M}"), mood)


def _map_of(drivers: Iterable[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the drivers and next stops that record-map.js draws, or None if unknown."""
    driving = [each for each in drivers if each["route_id"]]
    points = [_driver_point(each) for each in driving if each["lat"] is not None]
    stops = [each["current_stop"] for each in driving if each["current_stop"]]
    points += [
        {"lat": stop["lat"], "lng": stop["lng"], "shape": "place", "title": stop["address"]}
        for stop in stops
        if stop["lat"] is not None
    ]
    return {"points": points} if points else None


def _driver_point(driver: Mapping[str, Any]) -> dict[str, Any]:
    initials = "".join(word[0] for word in driver["name"].split()[:2]).upper()
    return {
        "lat": driver["lat"],
        "lng": driver["lng"],
        "shape": "driver",
        "label": initials,
        "title": driver["name"],
        "href": f"/desk/routes/{driver['route_id']}",
    }


TODAY = LivePart(
    name="today",
    template="desk_today_live.html",
    load=load_today,
    reads=(daily_digest, get_orders_summary, dispatch_exceptions, dispatch_drivers, dispatch_progress),
    about=("order", "route", "driver", "pending_write"),
)
