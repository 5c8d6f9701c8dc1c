"""What carriers report of parcels, by push or by poll, moves those that are expected here."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from haulier.contexts.consolidation.events import InboundParcelUnmatched
from haulier.contexts.consolidation.inbound_parcels import store
from haulier.contexts.consolidation.inbound_parcels.actions.matches import MatchedBy, announce_match, match_parcel
from haulier.contexts.consolidation.inbound_parcels.rules.labels import label_text_of
from haulier.contexts.consolidation.inbound_parcels.rules.lifecycle import (
    INBOUND_LIFE,
    InboundState,
    InboundStep,
    is_moving,
)
from haulier.contexts.consolidation.inbound_parcels.store import InboundParcelRow
from haulier.contexts.consolidation.policy.queries import load_policy
from haulier.contexts.consolidation.suites.queries import find_customers_in_texts, has_suites
from haulier.contexts.otep.public import phase_of_code_of_any_profile, status_order_key
from haulier.contexts.shipping.public import list_own_numbers
from haulier.contexts.tracking.events import TrackingUpdate
from haulier.contexts.tracking.public import find_timelines, make_number_key, set_number_owner
from haulier.kernel.call import Call


async def take_reports(call: Call, updates: Sequence[TrackingUpdate]) -> None:
    """Move parcels by what was reported of them. Those that nobody announced are taken in where their label names a suite,
    or where the policy says so. A constant number of statements for each parcel that is new or moves, and a few more.
    """
    latest = {make_number_key(update.tracking_number): update for update in sorted(updates, key=_place)}
    known = await store.list_parcels_of_keys(call.work, latest.keys(), lock=True)
    for key, row in known.items():
        await _move(call, row, latest[key])
    ours = {row.number_key for row in known.values() if row.customer_id is not None}
    unclear = [update for key, update in latest.items() if key not in ours and is_moving(update.phase)]
    if unclear:
        await _look_for_owners(call, unclear, known)


def _place(update: TrackingUpdate) -> tuple[datetime, int]:
    return status_order_key(update.occurred_at, update.phase)


def _told_before(row: InboundParcelRow, update: TrackingUpdate) -> bool:
    """Whether what is known of a parcel is older. Reports come in any order, and two may tell of the same minute."""
    if row.carrier_status_at is None or row.carrier_status is None:
        return True
    known = status_order_key(row.carrier_status_at, phase_of_code_of_any_profile(row.carrier_status))
    return known < _place(update)


async def _move(call: Call, row: InboundParcelRow, update: TrackingUpdate) -> None:
    changes: dict[str, Any] = {}
    if _told_before(row, update):
        changes = {"carrier_status": update.status_code, "carrier_status_at": update.occurred_at}
    state = INBOUND_LIFE.next_status(InboundStep.MOVE, InboundState(row.state)) if is_moving(update.phase) else None
    if state is not None and state != row.state:
        changes["state"] = state.value
    if changes:
        await InboundParcelRow.update(call.work, row.id, {**changes, "updated_at": call.now})
    if row.customer_id is not None and row.state == InboundState.EXPECTED:
        # The timeline may begin with this report, so the announcement could not set its owner.
        await set_number_owner(call, row.customer_id, claimed_numbers=[update.tracking_number])


async def _look_for_owners(
    call: Call, updates: Sequence[TrackingUpdate], known: Mapping[str, InboundParcelRow]
) -> None:
    """Take in what is new, and match what is nobody's, by the suites that stand on the labels."""
    queues = (await load_policy(call.work)).queue_unannounced
    if not queues and not await has_suites(call.work):
        return  # Why first: most clients receive nothing for customers, and their carriers push as much.
    numbers = {update.tracking_number for update in updates}
    texts = await _label_texts(call, numbers)
    owners = await find_customers_in_texts(call.work, set(texts.values()))
    unknown = numbers - {update.tracking_number for update in updates if _key(update) in known}
    ours = await list_own_numbers(call.work, unknown) if unknown else frozenset[str]()
    for update in updates:
        text = texts.get(update.tracking_number)
        customer, row = owners.get(text) if text else None, known.get(_key(update))
        if row is not None:
            if customer:
                await match_parcel(call, row, customer, MatchedBy.SUITE, label_text=row.label_text or text)
        elif (customer or queues) and update.tracking_number not in ours:
            await _take_in(call, update, customer, text)


def _key(update: TrackingUpdate) -> str:
    return make_number_key(update.tracking_number)


async def _label_texts(call: Call, numbers: Collection[str]) -> dict[str, str]:
    """What providers told of the labels of some parcels, by number."""
    timelines = await find_timelines(call.work, numbers)
    told = {
        number: next(filter(None, (label_text_of(event) for event in reversed(timeline.events))), None)
        for number, timeline in timelines.items()
    }
    return {number: text for number, text in told.items() if text}


async def _take_in(call: Call, update: TrackingUpdate, customer: int | None, text: str | None) -> None:
    new = {
        "tracking_number": update.tracking_number,
        "number_key": _key(update),
        "state": InboundState.IN_TRANSIT.value,
        "customer_id": customer,
        "matched_by": MatchedBy.SUITE.value if customer else None,
        "label_text": text,
        "carrier_status": update.status_code,
        "carrier_status_at": update.occurred_at,
        "created_at": call.now,
        "updated_at": call.now,
    }
    inserted = await store.insert_parcels(call.work, [new])
    for row in inserted:
        if customer:
            await announce_match(call, row, customer, MatchedBy.SUITE)
        else:
            unmatched = InboundParcelUnmatched(parcel_id=row.id, tracking_number=row.tracking_number)
            await call.publish(unmatched)
    if not inserted:  # Why: another report of it was taken at the same time, and this one may be the later
        await take_reports(call, [update])
