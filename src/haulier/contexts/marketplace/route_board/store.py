"""Tables of the route board: postings, claims and driver rules."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Any, TypeVar

from sqlalchemy import (
    Index,
    Select,
    String,
    UniqueConstraint,
    bindparam,
    func,
    or_,
    select,
    update,
)

from haulier.contexts.fleet.public import drivers
from haulier.contexts.routes.public import routes
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import partial_unique_index
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NOTE_MAX, REASON_MAX

R = TypeVar("R", bound=Row)


class PostingRow(
    Record, table="board_posting", items=[Index(None, "client_id", "day"), Index(None, "client_id", "route_id")]
):
    """Current or former posting of a route.

    A route may return to the board after it left. Each posting is a row.
    """

    route_id: Reference
    day: date
    contractor_id: Reference | None
    opens_at: datetime
    closes_at: datetime | None
    withdraw_until: datetime | None
    claims_per_day: int
    standby_max: int
    admission: dict[str, Any]
    note: Annotated[str, String(NOTE_MAX)] | None
    posted_at: datetime
    posted_by: Reference | None
    closed_at: datetime | None
    closed_by: Reference | None
    closing: Annotated[str, String(20)] | None


postings = PostingRow.table
plain_columns(postings, "admission", "note", "closing")

partial_unique_index("uq_board_posting_live", "closed_at IS NULL", postings.c.route_id)


class ClaimRow(
    Record,
    table="board_claim",
    items=[Index(None, "client_id", "route_id"), Index(None, "client_id", "driver_id", "day")],
):
    """Driver's claim to a route. `won_at` is None while the driver stands by."""

    posting_id: Reference
    route_id: Reference
    driver_id: Reference
    day: date
    queued_at: datetime
    won_at: datetime | None
    promoted: bool
    ended_at: datetime | None
    ended_by: Reference | None
    outcome: Annotated[str, String(20)] | None


claims = ClaimRow.table
plain_columns(claims, "outcome")

partial_unique_index("uq_board_claim_winner", "won_at IS NOT NULL AND ended_at IS NULL", claims.c.route_id)
"""A route has at most one winning claim, also under concurrency."""
partial_unique_index("uq_board_claim_place", "ended_at IS NULL", claims.c.route_id, claims.c.driver_id)
"""A driver has at most one open claim to a route."""


class BoardDriverRuleRow(Record, table="board_driver_rule", items=[UniqueConstraint("client_id", "driver_id")]):
    """Board rule of a driver."""

    driver_id: Reference
    blocked_until: datetime | None
    block_reason: Annotated[str, String(REASON_MAX)] | None
    claims_per_day: int | None
    zones: list[str]
    changed_at: datetime
    changed_by: Reference | None


driver_rules = BoardDriverRuleRow.table
personal_data(
    driver_rules,
    RecordKind.DRIVERS,
    by={"driver_id": PersonKey.DRIVER},
    erased={"block_reason": None},
    plain=("zones",),
)


class RouteClaimRow(ClaimRow):
    """Claim with the name of its driver and the status of its route."""

    driver_name: str
    route_status: str


class NamedDriverRuleRow(BoardDriverRuleRow):
    """Board rule of a driver, with the driver's name."""

    driver_name: str


_live = select(postings).where(in_param(postings.c.route_id, "ids"), postings.c.closed_at.is_(None))
_latest = (
    select(postings)
    .where(postings.c.route_id == bindparam("route"))
    .order_by(postings.c.id.desc())
    .limit(bindparam("one"))
)
_bound_for = select(postings).where(postings.c.closed_at.is_(None), postings.c.day >= bindparam("since"))
_for_drivers = _bound_for.order_by(postings.c.day, postings.c.id).limit(bindparam("most"))
_counted_live = select(func.count()).select_from(_bound_for.subquery())
_close = (
    update(postings)
    .where(in_param(postings.c.id, "ids"))
    .values(closed_at=bindparam("at"), closed_by=bindparam("by"), closing=bindparam("why"))
)
_line = (
    select(claims)
    .where(in_param(claims.c.route_id, "ids"), claims.c.ended_at.is_(None))
    .order_by(claims.c.route_id, claims.c.queued_at, claims.c.id)
)
_win = (
    update(claims)
    .where(claims.c.id == bindparam("claim"))
    .values(won_at=bindparam("at"), promoted=bindparam("promotion"))
)
_end = (
    update(claims)
    .where(in_param(claims.c.id, "ids"))
    .values(ended_at=bindparam("at"), ended_by=bindparam("by"), outcome=bindparam("how"))
)
_held = (
    select(claims.c.driver_id, func.count().label("count"))
    .where(in_param(claims.c.driver_id, "ids"), claims.c.day == bindparam("on_day"))
    .where(claims.c.won_at.is_not(None), claims.c.ended_at.is_(None))
    .group_by(claims.c.driver_id)
)
_rules = select(driver_rules).where(in_param(driver_rules.c.driver_id, "ids"))
_claims_shown = select(claims, drivers.c.name.label("driver_name"), routes.c.status.label("route_status")).select_from(
    claims.join(drivers, drivers.c.id == claims.c.driver_id).join(routes, routes.c.id == claims.c.route_id)
)
_rules_shown = select(driver_rules, drivers.c.name.label("driver_name")).select_from(
    driver_rules.join(drivers, drivers.c.id == driver_rules.c.driver_id)
)
_POSTING_FILTERS = {
    "since": postings.c.day >= bindparam("since"),
    "until": postings.c.day <= bindparam("until"),
    "owner": postings.c.contractor_id == bindparam("owner"),
    "live": postings.c.closed_at.is_(None),
    "over": postings.c.closed_at.is_not(None),
}
_CLAIM_FILTERS = {
    "route": claims.c.route_id == bindparam("route"),
    "driver": claims.c.driver_id == bindparam("driver"),
    "since": claims.c.day >= bindparam("since"),
    "until": claims.c.day <= bindparam("until"),
    "live": claims.c.ended_at.is_(None),
    "over": claims.c.ended_at.is_not(None),
    "owner": or_(routes.c.contractor_id == bindparam("owner"), drivers.c.contractor_id == bindparam("owner")),
}
_RULE_FILTERS = {
    "owner": drivers.c.contractor_id == bindparam("owner"),
    "blocked": driver_rules.c.blocked_until > bindparam("blocked"),
}
_VALUELESS_FILTERS = frozenset({"live", "over"})
"""Filters without a parameter."""


async def get_live_postings(work: UnitOfWork, route_ids: Collection[int]) -> dict[int, PostingRow]:
    """Return live postings of routes, by route."""
    if not route_ids:
        return {}
    return {row.route_id: row for row in await work.all(_live, PostingRow, ids=list(route_ids))}


async def get_latest_posting(work: UnitOfWork, route_id: int) -> PostingRow | None:
    """Return the newest posting of a route, or None."""
    return await work.first(_latest, PostingRow, route=route_id, one=1)


async def list_live_postings(work: UnitOfWork, since: date, most: int) -> Sequence[PostingRow]:
    """Return live postings from a day on, earliest first."""
    return await work.all(_for_drivers, PostingRow, since=since, most=most)


async def count_live_postings(work: UnitOfWork, since: date) -> int:
    """Return the number of live postings from a day on."""
    return await work.value(_counted_live, since=since)


async def mark_postings_closed(work: UnitOfWork, posting_ids: Collection[int], **values: Any) -> None:
    """Close postings: `at`, `by`, `why`."""
    await work.run(_close, ids=list(posting_ids), **values)


async def list_open_claims(work: UnitOfWork, route_ids: Collection[int]) -> Sequence[ClaimRow]:
    """Return open claims to routes, won or standby, by route, oldest first."""
    return await work.all(_line, ClaimRow, ids=list(route_ids)) if route_ids else []


async def mark_claim_won(work: UnitOfWork, claim_id: int, *, at: datetime, promoted: bool) -> None:
    """Mark a claim as won. Raises `UniqueConflict` if another claim has the route."""
    await work.run(_win, claim=claim_id, at=at, promotion=promoted)


async def mark_claims_ended(work: UnitOfWork, claim_ids: Collection[int], **values: Any) -> None:
    """End claims: `at`, `by`, `how`."""
    if claim_ids:
        await work.run(_end, ids=list(claim_ids), **values)


async def count_held_routes(work: UnitOfWork, driver_ids: Collection[int], day: date) -> dict[int, int]:
    """Return the number of board routes of a day, by driver."""
    return {row.driver_id: row.count for row in await work.all(_held, ids=list(driver_ids), on_day=day)}


async def get_board_driver_rules(work: UnitOfWork, driver_ids: Collection[int]) -> dict[int, BoardDriverRuleRow]:
    """Return the board rules of drivers, by driver."""
    if not driver_ids:
        return {}
    return {row.driver_id: row for row in await work.all(_rules, BoardDriverRuleRow, ids=list(driver_ids))}


async def upsert_board_driver_rule(work: UnitOfWork, driver_id: int, **values: Any) -> None:
    """Insert or replace the board rule of a driver."""
    await work.upsert(driver_rules, ("driver_id",), driver_id=driver_id, **values)


async def find_postings(
    work: UnitOfWork, filters: Mapping[str, Any], limit: int, offset: int
) -> tuple[Sequence[PostingRow], int]:
    """Return a page of postings, latest day first, and the number of matches."""
    order = (postings.c.day.desc(), postings.c.id.desc())
    return await _find_board_rows(work, PostingRow, select(postings), order, _POSTING_FILTERS, filters, limit, offset)


async def find_route_claims(
    work: UnitOfWork, filters: Mapping[str, Any], limit: int, offset: int
) -> tuple[Sequence[RouteClaimRow], int]:
    """Return a page of claims, newest first, and the number of matches."""
    return await _find_board_rows(
        work, RouteClaimRow, _claims_shown, (claims.c.id.desc(),), _CLAIM_FILTERS, filters, limit, offset
    )


async def find_board_driver_rules(
    work: UnitOfWork, filters: Mapping[str, Any], limit: int, offset: int
) -> tuple[Sequence[NamedDriverRuleRow], int]:
    """Return a page of driver rules by name, and the number of matches."""
    order = (drivers.c.name, driver_rules.c.id)
    return await _find_board_rows(work, NamedDriverRuleRow, _rules_shown, order, _RULE_FILTERS, filters, limit, offset)


async def _find_board_rows(
    work: UnitOfWork,
    row_type: type[R],
    statement: Select[Any],
    order: Sequence[Any],
    conditions: Mapping[str, Any],
    filters: Mapping[str, Any],
    limit: int,
    offset: int,
) -> tuple[Sequence[R], int]:
    matching = statement.where(*(conditions[name] for name in filters))
    params = {name: value for name, value in filters.items() if name not in _VALUELESS_FILTERS}
    listed = matching.order_by(*order).limit(bindparam("page_size")).offset(bindparam("skipped"))
    rows = await work.all(listed, row_type, **params, page_size=limit, skipped=offset)
    return rows, await work.value(select(func.count()).select_from(matching.subquery()), **params)
