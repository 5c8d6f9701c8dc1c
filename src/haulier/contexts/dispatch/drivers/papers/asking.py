"""What a business asks of its drivers, and how drivers stand with it: for the families that need to know."""

from collections.abc import Collection
from datetime import date
from typing import Any

from haulier.contexts.dispatch.drivers.papers import store
from haulier.contexts.dispatch.drivers.papers.rules import (
    PAPERS_NOT_IN_ORDER,
    KindStanding,
    PaperKind,
    Policy,
    missing_for_a_route,
    standings,
)
from haulier.kernel.call import Call
from haulier.kernel.data.work import Work


def today(call: Call) -> date:
    """The day it is, by the business's calendar."""
    return call.now.astimezone(call.time_zone).date()


async def policy_of(work: Work) -> Policy:
    """What this client asks of its drivers; the house's own wishes until it said anything."""
    return _read(await store.policy(work))


async def policy_at(work: Work, client_id: int) -> Policy:
    """What some client asks of its drivers, for somebody who applies there."""
    return _read(await store.policy_at(work, client_id))


def _read(row: Any) -> Policy:
    if row is None:
        return Policy()
    return Policy(
        required=frozenset(map(PaperKind, row.required)),
        blocks_start=bool(row.blocks_start),
        notice_days=row.notice_days,
        registration_open=bool(row.registration_open),
    )


async def standings_of(call: Call, driver_ids: Collection[int], policy: Policy) -> dict[int, list[KindStanding]]:
    """How some drivers stand with their papers, in one statement."""
    found: dict[int, list[object]] = {driver_id: [] for driver_id in driver_ids}
    for row in await store.of_drivers(call.work, driver_ids):
        found[row.driver_id].append(row)
    day = today(call)
    return {driver_id: standings(rows, policy, day) for driver_id, rows in found.items()}  # type: ignore[arg-type]


async def demand_papers(call: Call, driver_id: int | None) -> None:
    """A driver whose required papers do not hold starts no route, where the business wants that.

    Raises `PAPERS_NOT_IN_ORDER`. A route without a driver is nobody's to stop.
    """
    policy = await policy_of(call.work)
    if driver_id is None or not (policy.blocks_start and policy.required):
        return
    standing = await standings_of(call, [driver_id], policy)
    if missing := missing_for_a_route(standing[driver_id], policy):
        raise PAPERS_NOT_IN_ORDER(kinds=", ".join(call.say(f"paper_kind_{kind}") for kind in missing))
