"""Dispatch board as a list with the same routes, times and counts.

Works without scripts.
"""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from haulier.contexts.dispatch.board.contract import BoardRoute, CheckRouteChange, DispatchBoard, GetDispatchBoard
from haulier.contexts.dispatch.board.operations import check_route_change, dispatch_board
from haulier.contexts.routes.pools.contract import GetPlanningPool
from haulier.contexts.routes.pools.operations import planning_pool
from haulier.contexts.routes.stops.rules import OPEN
from haulier.kernel.data.notices import client_subject
from haulier.web.desk.live_parts import LivePart
from haulier.web.desk.pages import DeskRequest
from haulier.web.desk.places import places_of
from haulier.web.operations_client import Refused, call_operation
from haulier.web.pages.dispatch_board import DAY_CHANNEL, requested_day, show_day
from haulier.web.session import WebSession, app_of
from haulier.web.sse import Heard

ROUTES_PER_CHECK = 50
PAUSE_S = 5.0
"""Minimum seconds between updates of a busy day, whose times are recomputed each time."""


class DayList(Struct, frozen=True):
    """A day as it is read."""

    board: DispatchBoard
    arrivals: dict[int, datetime]
    """When work at a stop is to begin, by stop: as planned, else as the check computes it, like on the board."""
    done: dict[int, int]
    """Return the number of finished stops by route: delivered, failed or cancelled."""
    waiting: int
    """Return the number of unplanned orders up to this day."""


async def load_day_list(request: Request, session: WebSession, day: date) -> DayList | Refused:
    """Load the day's routes for a caller who may see the board."""
    result = await call_operation(request, dispatch_board, GetDispatchBoard(day=day), session=session)
    if isinstance(result, Refused):
        return result
    routes = result.answer.routes
    pool = await call_operation(request, planning_pool, GetPlanningPool(date_to=day, per_page=1), session=session)
    return DayList(
        board=result.answer,
        arrivals={**await _computed_arrivals(request, session, routes), **_planned_arrivals(routes)},
        done={route.id: sum(stop.status not in OPEN for stop in route.stops) for route in routes},
        waiting=0 if isinstance(pool, Refused) else pool.answer.total,
    )


def _planned_arrivals(routes: list[BoardRoute]) -> dict[int, datetime]:
    return {stop.id: stop.planned_arrival_at for route in routes for stop in route.stops if stop.planned_arrival_at}


async def _computed_arrivals(request: Request, session: WebSession, routes: list[BoardRoute]) -> dict[int, datetime]:
    """Return arrival times of open stops without a plan, on routes changed by hand."""
    unplanned = [route.id for route in routes if any(_is_unplanned(route))]
    found: dict[int, datetime] = {}
    for first in range(0, len(unplanned), ROUTES_PER_CHECK):
        check = CheckRouteChange(route_ids=unplanned[first : first + ROUTES_PER_CHECK])
        result = await call_operation(request, check_route_change, check, session=session)
        if not isinstance(result, Refused):
            found |= {stop.stop_id: stop.start_at for route in result.answer.routes for stop in route.stops}
    return found


def _is_unplanned(route: BoardRoute) -> Iterator[bool]:
    return (stop.status in OPEN and stop.planned_arrival_at is None for stop in route.stops)


async def load_shown_day(desk: DeskRequest) -> dict[str, Any] | None:
    """Return the contents of the list, or None if the caller may not see the day."""
    day = requested_day(desk.request, desk.session)
    listed = await load_day_list(desk.request, desk.session, day)
    return None if isinstance(listed, Refused) else {"day": day, "listed": listed}


def _changes_of_day(desk: DeskRequest) -> Sequence[Heard]:
    day = requested_day(desk.request, desk.session)
    return [Heard(DAY_CHANNEL, client_subject(desk.session.client_id, day.isoformat()))]


def _its_day(found: dict[str, Any]) -> dict[str, str]:
    return {"day": str(found["day"])}


DAY_LIST = LivePart(
    name="dispatch-day",
    template="dispatch_list_live.html",
    load=load_shown_day,
    reads=(dispatch_board, check_route_change, planning_pool),
    about=("order", "route"),
    also=_changes_of_day,
    fixed=_its_day,
    pause_s=PAUSE_S,
)


async def day_list_page(request: Request) -> Response:
    """The day of the board to read: routes and stops one after the other."""
    return await show_day(request, "dispatch_list.html", _shown)


async def _shown(request: Request, session: WebSession, day: date) -> dict[str, Any] | Refused:
    listed = await load_day_list(request, session, day)
    if isinstance(listed, Refused):
        return listed
    desk = DeskRequest(request, session, places_of(app_of(request).registry))
    return DAY_LIST.shown(desk, {"day": day, "listed": listed})
