"""Serializers of the board, with a constant number of statements."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.marketplace.route_board import store
from haulier.contexts.marketplace.route_board.contract import PostingRules, RouteBoardEntry, RouteClaim, StandbyPlace
from haulier.contexts.marketplace.route_board.queries import local_today, to_board_posting
from haulier.contexts.marketplace.route_board.rules import (
    BoardClosingReason,
    BoardPosting,
    ClaimOutcome,
    ClaimStatus,
    claim_status,
    posting_status,
)
from haulier.contexts.marketplace.route_board.store import ClaimRow, PostingRow, RouteClaimRow
from haulier.contexts.routes.public import RouteRow, StopCountRow, count_stops_by_route, get_route_rows
from haulier.contexts.routes.routes.rules.progress import RouteStatus
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.records import record

HIDDEN_FROM_DRIVERS = frozenset({"driver_id", "driver_name", "rules", "posted_at", "closed_at", "closing"})
"""Optional fields of an entry that are hidden from drivers."""


async def serialize_board_entries(
    call: Call, postings: Sequence[PostingRow], driver_id: int | None = None
) -> list[RouteBoardEntry]:
    """Return routes on the board. `driver_id` is the calling driver, if any."""
    ids = [posting.route_id for posting in postings]
    routes = await get_route_rows(call, ids)
    counts = await count_stops_by_route(call, ids)
    lines: defaultdict[int, list[ClaimRow]] = defaultdict(list)
    for claim in await store.list_open_claims(call.work, ids):
        lines[claim.route_id].append(claim)
    return [
        _route_board_entry(call, posting, routes[posting.route_id], counts.get(posting.route_id), lines, driver_id)
        for posting in postings
    ]


async def serialize_route_claims(call: Call, rows: Sequence[RouteClaimRow]) -> list[RouteClaim]:
    """Return claims, with the positions of standby claims."""
    lines: defaultdict[int, list[ClaimRow]] = defaultdict(list)
    for claim in await store.list_open_claims(call.work, {row.route_id for row in rows}):
        lines[claim.route_id].append(claim)
    return [
        record(
            RouteClaim,
            row,
            status=_claim_status(row, RouteStatus(row.route_status)),
            position=_standby_places(lines[row.route_id]).get(row.id),
            queued_at=call.local_time(row.queued_at),
            won_at=call.local_time(row.won_at),
            ended_at=call.local_time(row.ended_at),
            outcome=ClaimOutcome(row.outcome) if row.outcome else None,
        )
        for row in rows
    ]


def _route_board_entry(
    call: Call,
    row: PostingRow,
    route: RouteRow,
    count: StopCountRow | None,
    lines: Mapping[int, Sequence[ClaimRow]],
    driver_id: int | None,
) -> RouteBoardEntry:
    line = lines.get(row.route_id, ())
    held = row.closed_at is None and any(claim.won_at is not None for claim in line)
    posting, status = to_board_posting(call, row), RouteStatus(route.status)
    mine = next((claim for claim in line if claim.driver_id == driver_id), None)
    is_driver = call.principal.account is Account.DRIVER
    return record(
        RouteBoardEntry,
        row,
        posting_id=row.id,
        status=posting_status(posting, status, call.now, local_today(call), held=held),
        name=route.name,
        depot_id=route.depot_id,
        depot_name=route.depot_name,
        planned_start_at=call.local_time(route.planned_start_at),
        planned_end_at=call.local_time(route.planned_end_at),
        planned_distance_m=route.planned_distance_m,
        stops_total=count.total if count else 0,
        opens_at=call.local_time(row.opens_at),
        closes_at=call.local_time(row.closes_at),
        withdraw_until=call.local_time(row.withdraw_until),
        standing_by=len(_standby_places(line)),
        mine=mine
        and StandbyPlace(
            claim_id=mine.id, status=_claim_status(mine, status), position=_standby_places(line).get(mine.id)
        ),
        without=HIDDEN_FROM_DRIVERS if is_driver else (),
        **({} if is_driver else _planner_fields(call, row, route, posting)),
    )


def _planner_fields(call: Call, row: PostingRow, route: RouteRow, posting: BoardPosting) -> dict[str, Any]:
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
        "posted_at": call.local_time(row.posted_at),
        "closed_at": call.local_time(row.closed_at),
        "closing": BoardClosingReason(row.closing) if row.closing else None,
    }


def _claim_status(claim: ClaimRow, route: RouteStatus) -> ClaimStatus:
    outcome = ClaimOutcome(claim.outcome) if claim.outcome else None
    return claim_status(route, won=claim.won_at is not None, outcome=outcome)


def _standby_places(line: Sequence[ClaimRow]) -> dict[int, int]:
    """Return the position of each standby claim in the queue, from 1."""
    waiting = [claim.id for claim in line if claim.won_at is None]
    return {claim_id: place for place, claim_id in enumerate(waiting, start=1)}
