"""The day at a glance."""

from msgspec import UNSET

from haulier.contexts.analytics.public import Dimension, Measure, SumQuestion, load_sums
from haulier.contexts.billing.public import AccountKind, count_owed_accounts
from haulier.contexts.control_tower.approvals.queries import count_waiting_approvals
from haulier.contexts.control_tower.overview.contract import (
    AttentionNeeded,
    CashWithDrivers,
    DailyDigest,
    DriverCounts,
    GetDailyDigest,
    RouteCounts,
)
from haulier.contexts.control_tower.overview.operations.summary import READERS
from haulier.contexts.control_tower.overview.queries.reports import own_contractor_id
from haulier.contexts.control_tower.overview.rules import AttentionKind
from haulier.contexts.control_tower.overview.serializers import order_counts_record
from haulier.contexts.fleet.public import list_driver_rows
from haulier.contexts.orders.public import OrderProblemKind, count_order_problems
from haulier.contexts.routes.public import RoutesOfDay, count_routes_of_day
from haulier.contexts.warehouse.public import count_stock_shortages
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import Scope

ATTENTION_BY_PROBLEM = {
    OrderProblemKind.LATE: AttentionKind.LATE_ORDERS,
    OrderProblemKind.UNPLANNED: AttentionKind.UNPLANNED_ORDERS,
    OrderProblemKind.FAILED: AttentionKind.FAILED_ORDERS,
    OrderProblemKind.HELD: AttentionKind.HELD_ORDERS,
    OrderProblemKind.NO_COORDINATES: AttentionKind.ORDERS_WITHOUT_COORDINATES,
    OrderProblemKind.CONTRACTOR_DISABLED: AttentionKind.ORDERS_OF_DISABLED_CONTRACTORS,
    OrderProblemKind.PIECE_MISSING: AttentionKind.PIECES_MISSING,
    OrderProblemKind.PIECE_DAMAGED: AttentionKind.PIECES_DAMAGED,
}


@reads(
    "daily_digest",
    audience=READERS,
    scopes={Scope.ANALYTICS_READ},
    doors=(
        Rest("GET", "/v1/analytics/daily-digest"),
        GraphQL("dailyDigest"),
        Mcp("daily_digest", title="Show a day at a glance"),
    ),
)
async def daily_digest(call: Call, request: GetDailyDigest) -> DailyDigest:
    """Show a day at a glance: orders by what became of them, failed attempts by reason, routes, drivers, the cash that drivers
    carry, and what waits for a person.

    A contractor sees their own orders, routes and drivers.
    """
    day, own = request.day or call.today, own_contractor_id(call)
    dimension = Dimension.ALL if own is None else Dimension.CONTRACTOR
    asked = SumQuestion(
        measures=(Measure.ORDERS, Measure.FAILURES), since=day, until=day, dimension=dimension, subject_id=own
    )
    sums = await load_sums(call.work, asked)
    problems = await count_order_problems(call)
    routes = await count_routes_of_day(call, day, own)
    fleet = {"enabled": True, **({} if own is None else {"contractor": own})}
    _, active = await list_driver_rows(call, fleet, limit=1, offset=0)
    waiting = {AttentionKind.APPROVALS: await count_waiting_approvals(call) if own is None else 0}
    waiting |= {ATTENTION_BY_PROBLEM[kind]: count for kind, count in problems.by_kind.items()}
    waiting[AttentionKind.ROUTES_WITHOUT_DRIVER] = routes.without_driver
    waiting[AttentionKind.STOCK_SHORTAGES] = await count_stock_shortages(call) if own is None else 0
    return DailyDigest(
        day=day,
        as_of=call.local_time(call.now),
        orders=order_counts_record(sums),
        routes=_route_counts(routes),
        drivers=DriverCounts(active=active, with_route=routes.drivers, driving=routes.driving),
        cash=await _cash(call) if own is None else UNSET,
        needs_attention=[AttentionNeeded(kind=kind, count=count) for kind, count in waiting.items() if count],
        exceptions_open=problems.orders,
    )


def _route_counts(routes: RoutesOfDay) -> RouteCounts:
    return RouteCounts(
        routes=sum(routes.by_status.values()), by_status=routes.by_status, without_driver=routes.without_driver
    )


async def _cash(call: Call) -> list[CashWithDrivers]:
    return [
        CashWithDrivers(currency=money.currency, drivers=owners, carried_minor=money.minor)
        for owners, money in await count_owed_accounts(call, AccountKind.DRIVER_CASH)
    ]
