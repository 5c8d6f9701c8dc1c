"""Open work of a contractor or driver."""

from haulier.contexts.fleet.public import get_driver_row_by_user, list_driver_rows
from haulier.contexts.identity.public import UserFacts
from haulier.contexts.orders.public import list_open_contractor_orders
from haulier.contexts.routes.assignments.queries import get_contractor_capacity
from haulier.contexts.routes.held_work.contract import HeldRoute, HeldWork
from haulier.contexts.routes.ports import CashCarried
from haulier.contexts.routes.routes.queries import RouteRow, get_route_rows, list_route_rows
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.contexts.routes.stops.queries import get_route_ids_by_order
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.records import record

OPEN_STATUSES = (RouteStatus.DRAFT, RouteStatus.ASSIGNED, RouteStatus.STARTED)
MOST_ROUTES = 200
MOST_DRIVERS = 1000


async def get_held_work(call: Call, user: UserFacts) -> HeldWork:
    """Return the open work of a user. Empty for an account that cannot hold work."""
    contractor = user.account is Account.CONTRACTOR
    order_ids = await list_open_contractor_orders(call, user.id) if contractor else []
    under_way = await find_orders_under_way(call, order_ids)
    routes = await list_open_routes(call, user)
    driver_ids = await list_driver_ids(call, user)
    return HeldWork(
        user_id=user.id,
        account=user.account.value,
        active=user.active,
        order_ids=[id for id in order_ids if id not in under_way],
        order_ids_under_way=[id for id in order_ids if id in under_way],
        routes=[record(HeldRoute, route) for route in routes],
        driver_ids=await _active_driver_ids(call, user.id) if contractor else [],
        cash_minor=await call.adapter(CashCarried).get_cash_carried(call, driver_ids),
        orders_per_day=await get_contractor_capacity(call, user.id) if contractor else None,
    )


async def find_orders_under_way(call: Call, order_ids: list[int]) -> set[int]:
    """Return the orders among these that are on started routes."""
    routes = await get_route_ids_by_order(call, order_ids)
    rows = await get_route_rows(call, set(routes.values()))
    return {id for id, route_id in routes.items() if rows[route_id].status == RouteStatus.STARTED}


async def list_open_routes(call: Call, user: UserFacts) -> list[RouteRow]:
    """The routes of a contractor that are not over, or those of a driver."""
    who = {"contractor": user.id}
    if user.account is Account.DRIVER:
        driver = await get_driver_row_by_user(call, user.id)
        who = {"driver": driver.id if driver else 0}
    elif user.account is not Account.CONTRACTOR:
        return []
    return await list_open_routes_of(call, **who)


async def list_open_routes_of(call: Call, **who: int) -> list[RouteRow]:
    """Routes of a `driver` or `contractor` that are not over."""
    rows: list[RouteRow] = []
    for status in OPEN_STATUSES:
        found, _ = await list_route_rows(call, {**who, "standing": status.value}, limit=MOST_ROUTES, offset=0)
        rows += found
    return rows


async def list_driver_ids(call: Call, user: UserFacts) -> list[int]:
    """Return the driver ids of a contractor, including former drivers, or of a driver."""
    if user.account is Account.CONTRACTOR:
        rows, _ = await list_driver_rows(call, {"contractor": user.id}, limit=MOST_DRIVERS, offset=0)
        return [row.id for row in rows]
    driver = await get_driver_row_by_user(call, user.id) if user.account is Account.DRIVER else None
    return [driver.id] if driver else []


async def _active_driver_ids(call: Call, contractor_id: int) -> list[int]:
    rows, _ = await list_driver_rows(call, {"contractor": contractor_id, "enabled": True}, limit=MOST_DRIVERS, offset=0)
    return [row.id for row in rows]
