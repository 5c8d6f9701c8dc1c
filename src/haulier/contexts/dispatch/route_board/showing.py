"""The board as answers show it. Many routes take as many statements as one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from haulier.contexts.dispatch.route_board import store
from haulier.contexts.dispatch.route_board.contract import LinePlace, PostingRules, RouteClaim, RouteOnBoard
from haulier.contexts.dispatch.route_board.rules import (
    ClaimOutcome,
    ClaimStatus,
    Closing,
    Posting,
    claim_status,
    posting_status,
)
from haulier.contexts.dispatch.route_board.succession import local, posting_state
from haulier.contexts.dispatch.routes import store as route_store
from haulier.contexts.dispatch.routes.rules.machine import RouteStatus
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account


def local_today(call: Call) -> date:
    """Today by the business's calendar."""
    return call.now.astimezone(call.time_zone).date()


async def board_routes(call: Call, postings: Sequence[Any], driver_id: int | None = None) -> list[RouteOnBoard]:
    """Routes on the board; `driver_id` is the driver who asks, where one does."""
    ids = [posting.route_id for posting in postings]
    routes = await route_store.some(call.work, ids)
    counts = await stop_store.counts(call.work, ids)
    lines: defaultdict[int, list[Any]] = defaultdict(list)
    for claim in await store.line(call.work, ids):
        lines[claim.route_id].append(claim)
    return [
        _board_route(call, posting, routes[posting.route_id], counts.get(posting.route_id), lines, driver_id)
        for posting in postings
    ]


async def claims_shown(call: Call, rows: Sequence[Any]) -> list[RouteClaim]:
    """Claims, with the place of each that stands by."""
    lines: defaultdict[int, list[Any]] = defaultdict(list)
    for each in await store.line(call.work, {row.route_id for row in rows}):
        lines[each.route_id].append(each)
    return [
        RouteClaim(
            id=row.id,
            posting_id=row.posting_id,
            route_id=row.route_id,
            day=row.day,
            driver_id=row.driver_id,
            driver_name=row.driver_name,
            status=_status(row, RouteStatus(row.route_status)),
            position=_places(lines[row.route_id]).get(row.id),
            queued_at=row.queued_at.astimezone(call.time_zone),
            won_at=local(call, row.won_at),
            promoted=bool(row.promoted),
            ended_at=local(call, row.ended_at),
            ended_by=row.ended_by,
            outcome=ClaimOutcome(row.outcome) if row.outcome else None,
        )
        for row in rows
    ]


def _board_route(
    call: Call, row: Any, route: Any, count: Any, lines: Mapping[int, Sequence[Any]], driver_id: int | None
) -> RouteOnBoard:
    line = lines.get(row.route_id, ())
    held = row.closed_at is None and any(claim.won_at is not None for claim in line)
    posting, status = posting_state(call, row), RouteStatus(route.status)
    mine = next((claim for claim in line if claim.driver_id == driver_id), None)
    return RouteOnBoard(
        posting_id=row.id,
        route_id=row.route_id,
        status=posting_status(posting, status, call.now, local_today(call), held=held),
        name=route.name,
        day=row.day,
        depot_id=route.depot_id,
        depot_name=route.depot_name,
        planned_start_at=local(call, route.planned_start_at),
        planned_end_at=local(call, route.planned_end_at),
        planned_distance_m=route.planned_distance_m,
        stops_total=count.total if count else 0,
        opens_at=row.opens_at.astimezone(call.time_zone),
        closes_at=local(call, row.closes_at),
        withdraw_until=local(call, row.withdraw_until),
        claims_per_day=row.claims_per_day,
        standby_max=row.standby_max,
        standing_by=len(_places(line)),
        note=row.note,
        mine=mine and LinePlace(claim_id=mine.id, status=_status(mine, status), position=_places(line).get(mine.id)),
        **_for_planners(call, row, route, posting),
    )


def _for_planners(call: Call, row: Any, route: Any, posting: Posting) -> dict[str, Any]:
    if call.principal.account is Account.DRIVER:
        return {}
    admission = posting.admission
    return {
        "driver_id": route.driver_id,
        "driver_name": route.driver_name,
        "rules": PostingRules(
            driver_ids=list(admission.driver_ids),
            skills=list(admission.skills),
            own_drivers=admission.own_drivers,
            contractor_ids=list(admission.contractor_ids),
            zones=list(admission.zones),
        ),
        "posted_at": row.posted_at.astimezone(call.time_zone),
        "closed_at": local(call, row.closed_at),
        "closing": Closing(row.closing) if row.closing else None,
    }


def _status(claim: Any, route: RouteStatus) -> ClaimStatus:
    outcome = ClaimOutcome(claim.outcome) if claim.outcome else None
    return claim_status(route, won=claim.won_at is not None, outcome=outcome)


def _places(line: Sequence[Any]) -> dict[int, int]:
    """The place of everybody who stands by, from 1."""
    waiting = [claim.id for claim in line if claim.won_at is None]
    return {claim_id: place for place, claim_id in enumerate(waiting, start=1)}
