"""Writes of inbound parcels for other families."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from msgspec import Struct

from haulier.contexts.consolidation.claims.actions import CLAIMED, open_claim, resolve_claims, withdraw_approval
from haulier.contexts.consolidation.claims.queries import InboundClaimRow
from haulier.contexts.consolidation.claims.rules import ClaimState
from haulier.contexts.consolidation.events import InboundParcelArrived, InboundParcelMatched, InboundParcelUnmatched
from haulier.contexts.consolidation.inbound_parcels import store
from haulier.contexts.consolidation.inbound_parcels.contract import CreatePreAlert, ReceiveInboundParcel
from haulier.contexts.consolidation.inbound_parcels.queries import can_announce, is_number_of_business
from haulier.contexts.consolidation.inbound_parcels.rules import (
    INBOUND_LIFE,
    INBOUND_PARCEL_MATCHED,
    POLL_JOB,
    PRE_ALERT_NUMBER_TAKEN,
    UNDER_WAY_STATES,
    InboundState,
    InboundStep,
    PollInboundParcel,
    is_moving,
    label_text_of,
    poll_pause,
)
from haulier.contexts.consolidation.inbound_parcels.store import InboundParcelRow
from haulier.contexts.consolidation.policy.queries import load_policy
from haulier.contexts.consolidation.suites.queries import find_customers_in_texts, has_suites, require_suite_customer
from haulier.contexts.documents.public import save_upload
from haulier.contexts.otep.public import phase_of_code_of_any_profile, status_order_key
from haulier.contexts.shipping.public import list_own_numbers
from haulier.contexts.tracking.events import TrackingUpdate
from haulier.contexts.tracking.public import find_timelines, make_number_key, release_number, set_number_owner
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import record_not_found


class MatchedBy(StrEnum):
    """Ways in which the owner of a parcel was identified."""

    ANNOUNCED = "announced"
    """By the announcement."""
    NUMBER = "number"
    """By an announcement after it was reported or received."""
    SUITE = "suite"
    PERSON = "person"


async def match_parcel(
    call: Call, row: InboundParcelRow, customer_id: int, by: MatchedBy, **told: Any
) -> InboundParcelRow:
    """Match a parcel to a customer. The row must be locked.

    The same customer again changes nothing. Raises `INBOUND_PARCEL_MATCHED` for a parcel of another customer, and
    `INBOUND_STEP_REFUSED`.
    """
    if row.customer_id == customer_id:
        return row
    if row.customer_id is not None:
        raise INBOUND_PARCEL_MATCHED(tracking_number=row.tracking_number)
    state = INBOUND_LIFE.next_status_or_raise(InboundStep.MATCH, InboundState(row.state))
    changes = {"customer_id": customer_id, "matched_by": by.value, "state": state.value, "updated_at": call.now}
    await InboundParcelRow.update(call.work, row.id, {**told, **changes})
    if row.state not in UNDER_WAY_STATES:
        await resolve_claims(call, row.id, customer_id)
    await publish_match(call, row, customer_id, by)
    return await reload_parcel(call, row.id)


async def publish_match(call: Call, row: InboundParcelRow, customer_id: int, by: MatchedBy) -> None:
    """Publish the match of a parcel, and show its timeline to the customer."""
    await set_number_owner(call, customer_id, claimed_numbers=[row.tracking_number])
    matched = InboundParcelMatched(
        parcel_id=row.id, tracking_number=row.tracking_number, customer_id=customer_id, by=by.value
    )
    await call.publish(matched)


async def unmatch_parcel(call: Call, row: InboundParcelRow) -> InboundParcelRow:
    """Undo the match of a parcel.

    The row must be locked. Raises `INBOUND_STEP_REFUSED`.
    """
    state = INBOUND_LIFE.next_status_or_raise(InboundStep.UNMATCH, InboundState(row.state))
    if row.customer_id is None:
        return row
    nobodys = {"customer_id": None, "matched_by": None, "state": state.value, "updated_at": call.now}
    await InboundParcelRow.update(call.work, row.id, {**nobodys, **NOTHING_ANNOUNCED})
    await withdraw_approval(call, row.id)
    if not await is_number_of_business(call.work, row.tracking_number):
        await release_number(call, row.tracking_number, row.customer_id)
    await call.publish(InboundParcelUnmatched(parcel_id=row.id, tracking_number=row.tracking_number))
    return await reload_parcel(call, row.id)


ANNOUNCED = ("contents", "declared_value", "declared_currency", "note", "announced_at")
NOTHING_ANNOUNCED: Mapping[str, None] = dict.fromkeys(ANNOUNCED)
"""A customer's announcement is removed with the match."""


async def reload_parcel(call: Call, parcel_id: int) -> InboundParcelRow:
    """Return a parcel after a write. Raises `NOT_FOUND`."""
    row = await InboundParcelRow.get(call.work, parcel_id)
    if row is None:
        raise record_not_found(parcel_id=parcel_id)
    return row


class AnnouncedParcel(Struct, frozen=True):
    """An announced parcel. `claim` waits for staff if the parcel arrived first."""

    row: InboundParcelRow
    existing: bool = False
    claim: InboundClaimRow | None = None


async def publish_parcel(call: Call, customer_id: int, request: CreatePreAlert) -> AnnouncedParcel:
    """Announce a parcel of a customer.

    A parcel in transit without an owner is matched to the customer; one that has arrived is only claimed. Raises
    `PRE_ALERT_NUMBER_TAKEN` for numbers of other customers and of the business's own orders and shipments.
    """
    told = request.model_dump(exclude={"tracking_number", "customer_id"}) | {"announced_at": call.now}
    key = make_number_key(request.tracking_number)
    row = (await store.list_parcels_of_keys(call.work, [key], lock=True)).get(key)
    if row is not None and row.customer_id == customer_id:
        return AnnouncedParcel(row, existing=True)
    taken = row is not None and row.customer_id is not None
    if taken or not await can_announce(call.work, request.tracking_number, customer_id):
        raise PRE_ALERT_NUMBER_TAKEN(tracking_number=request.tracking_number)
    if row is not None:
        return await _publish_known(call, row, customer_id, request, told)
    return AnnouncedParcel(await _insert_announced(call, customer_id, request, told))


async def _insert_announced(
    call: Call, customer_id: int, request: CreatePreAlert, told: dict[str, Any]
) -> InboundParcelRow:
    new = {
        **told,
        "tracking_number": request.tracking_number,
        "number_key": make_number_key(request.tracking_number),
        "customer_id": customer_id,
        "matched_by": MatchedBy.ANNOUNCED.value,
        "state": InboundState.EXPECTED.value,
        "created_at": call.now,
        "updated_at": call.now,
    }
    written = await store.insert_parcels(call.work, [new])
    if not written:
        raise TransactionRetry
    await set_number_owner(call, customer_id, claimed_numbers=[request.tracking_number])
    await poll_from_now_on(call, written[0])
    return written[0]


async def _publish_known(
    call: Call, row: InboundParcelRow, customer_id: int, request: CreatePreAlert, told: dict[str, Any]
) -> AnnouncedParcel:
    if row.state not in UNDER_WAY_STATES and call.principal.account is Account.CUSTOMER:
        claim, existing = await open_claim(call, row.id, customer_id, request.model_dump())
        if claim.state != ClaimState.PENDING:
            raise PRE_ALERT_NUMBER_TAKEN(tracking_number=request.tracking_number)
        return AnnouncedParcel(row, existing, claim)
    told = {**told, "carrier": told["carrier"] or row.carrier}
    matched = await match_parcel(call, row, customer_id, MatchedBy.NUMBER, **told)
    await poll_from_now_on(call, matched)
    return AnnouncedParcel(matched)


async def poll_from_now_on(call: Call, row: InboundParcelRow) -> None:
    """Start polling the carrier of an expected parcel."""
    if row.carrier and row.state in (InboundState.EXPECTED, InboundState.IN_TRANSIT):
        await call.enqueue(POLL_JOB, PollInboundParcel(row.id), run_at=call.now + poll_pause(timedelta()))


MEASURES = ("weight_g", "length_mm", "width_mm", "height_mm")
TOLD = ("carrier", "label_text", *MEASURES)
PHOTOS = "inbound_parcel"
"""Kind of record that photos belong to."""


async def receive_parcel(call: Call, request: ReceiveInboundParcel) -> tuple[InboundParcelRow, bool]:
    """Receive a parcel. Return it, and True if it was received before.

    A repeat only adds missing data. Raises `NOT_FOUND` for an unknown suite.
    """
    by_suite = await _customer_of_label(call, request)
    key = make_number_key(request.tracking_number)
    row = (await store.list_parcels_of_keys(call.work, [key], lock=True)).get(key)
    if row is None:
        row, was_new = await _insert_received(call, request, key)
    else:
        was_new = row.state in UNDER_WAY_STATES
    told = {name: getattr(request, name) for name in TOLD if getattr(row, name) is None}
    changes: dict[str, Any] = {name: value for name, value in told.items() if value is not None}
    if request.photo is not None and row.photo_id is None:
        changes["photo_id"] = await _save_photo(call, row.id, request)
    if was_new:
        row = await _hold_claim_on_own_number(call, row)
        return await _arrive(call, row, by_suite, changes), False
    if changes:
        await InboundParcelRow.update(call.work, row.id, {**changes, "updated_at": call.now})
    return await reload_parcel(call, row.id), True


async def _customer_of_label(call: Call, request: ReceiveInboundParcel) -> int | None:
    if request.suite:
        return await require_suite_customer(call.work, request.suite)
    if not request.label_text:
        return None
    return (await find_customers_in_texts(call.work, [request.label_text])).get(request.label_text)


async def _insert_received(call: Call, request: ReceiveInboundParcel, key: str) -> tuple[InboundParcelRow, bool]:
    new = {
        "tracking_number": request.tracking_number,
        "number_key": key,
        "state": InboundState.ARRIVED.value,
        "created_at": call.now,
        "updated_at": call.now,
    }
    written = await store.insert_parcels(call.work, [new])
    if not written:
        raise TransactionRetry  # Another call has just written it; read its result.
    return written[0], True


async def _save_photo(call: Call, parcel_id: int, request: ReceiveInboundParcel) -> int | None:
    photo = request.photo
    if photo is None:
        return None
    about = f"{PHOTOS}:{parcel_id}"
    return await save_upload(call, photo, about=about)


async def _hold_claim_on_own_number(call: Call, row: InboundParcelRow) -> InboundParcelRow:
    """Convert an announcement into a claim if the business now uses the number."""
    if row.customer_id is None or not await is_number_of_business(call.work, row.tracking_number):
        return row
    await open_claim(call, row.id, row.customer_id, {name: getattr(row, name) for name in CLAIMED})
    await InboundParcelRow.update(call.work, row.id, {"customer_id": None, "matched_by": None, **NOTHING_ANNOUNCED})
    return await reload_parcel(call, row.id)


async def _arrive(
    call: Call, row: InboundParcelRow, by_suite: int | None, changes: Mapping[str, Any]
) -> InboundParcelRow:
    """Record the arrival of a parcel.

    Its announcement precedes the suite on its label.
    """
    customer = row.customer_id or by_suite
    state = InboundState.MATCHED if customer else InboundState.ARRIVED
    arrived = {"state": state.value, "arrived_at": call.now, "received_by": call.actor, "updated_at": call.now}
    found = {"customer_id": by_suite, "matched_by": MatchedBy.SUITE.value} if by_suite and not row.customer_id else {}
    await InboundParcelRow.update(call.work, row.id, {**changes, **arrived, **found})
    number = row.tracking_number
    await call.publish(InboundParcelArrived(parcel_id=row.id, tracking_number=number, customer_id=customer))
    if found and by_suite:
        await publish_match(call, row, by_suite, MatchedBy.SUITE)
    elif customer is None:
        await call.publish(InboundParcelUnmatched(parcel_id=row.id, tracking_number=number))
    return await reload_parcel(call, row.id)


async def apply_reports(call: Call, updates: Sequence[TrackingUpdate]) -> None:
    """Move parcels by reported events.

    Unannounced ones are added if their label has a suite, or if the policy says so. Uses a constant number of
    statements for each new or moved parcel, and a few more.
    """
    latest = {make_number_key(update.tracking_number): update for update in sorted(updates, key=_place)}
    known = await store.list_parcels_of_keys(call.work, latest.keys(), lock=True)
    for key, row in known.items():
        await _move(call, row, latest[key])
    ours = {row.number_key for row in known.values() if row.customer_id is not None}
    unclear = [update for key, update in latest.items() if key not in ours and is_moving(update.phase)]
    if unclear:
        await _find_owners(call, unclear, known)


def _place(update: TrackingUpdate) -> tuple[datetime, int]:
    return status_order_key(update.occurred_at, update.phase)


def _is_older_than(row: InboundParcelRow, update: TrackingUpdate) -> bool:
    """Return True if the known state of a parcel is older than an update.

    Reports come in any order, and two can share a minute.
    """
    if row.carrier_status_at is None or row.carrier_status is None:
        return True
    known = status_order_key(row.carrier_status_at, phase_of_code_of_any_profile(row.carrier_status))
    return known < _place(update)


async def _move(call: Call, row: InboundParcelRow, update: TrackingUpdate) -> None:
    changes: dict[str, Any] = {}
    if _is_older_than(row, update):
        changes = {"carrier_status": update.status_code, "carrier_status_at": update.occurred_at}
    state = INBOUND_LIFE.next_status(InboundStep.MOVE, InboundState(row.state)) if is_moving(update.phase) else None
    if state is not None and state != row.state:
        changes["state"] = state.value
    if changes:
        await InboundParcelRow.update(call.work, row.id, {**changes, "updated_at": call.now})
    if row.customer_id is not None and row.state == InboundState.EXPECTED:
        # The timeline may begin with this report, so the announcement could not set its owner.
        await set_number_owner(call, row.customer_id, claimed_numbers=[update.tracking_number])


async def _find_owners(call: Call, updates: Sequence[TrackingUpdate], known: Mapping[str, InboundParcelRow]) -> None:
    """Insert new parcels, and match unowned ones by the suites on their labels."""
    queues = (await load_policy(call.work)).queue_unannounced
    if not queues and not await has_suites(call.work):
        return  # First: most clients receive nothing for customers, and their carriers push as much.
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
            await _receive_unannounced(call, update, customer, text)


def _key(update: TrackingUpdate) -> str:
    return make_number_key(update.tracking_number)


async def _label_texts(call: Call, numbers: Collection[str]) -> dict[str, str]:
    """Return the providers' label texts of parcels, by number."""
    timelines = await find_timelines(call.work, numbers)
    told = {
        number: next(filter(None, (label_text_of(event) for event in reversed(timeline.events))), None)
        for number, timeline in timelines.items()
    }
    return {number: text for number, text in told.items() if text}


async def _receive_unannounced(call: Call, update: TrackingUpdate, customer: int | None, text: str | None) -> None:
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
            await publish_match(call, row, customer, MatchedBy.SUITE)
        else:
            unmatched = InboundParcelUnmatched(parcel_id=row.id, tracking_number=row.tracking_number)
            await call.publish(unmatched)
    if not inserted:  # A concurrent report may be the later one.
        await apply_reports(call, [update])


async def require_parcels_for_ship_out(
    call: Call, parcel_ids: Collection[int], *, customer_id: int, lock: bool = False
) -> Sequence[InboundParcelRow]:
    """Return free parcels of a customer.

    Raises `NOT_FOUND` for those of others, and `INBOUND_STEP_REFUSED`.
    """
    rows = await store.list_parcels_of_ids(call.work, parcel_ids, lock=lock)
    for parcel_id in parcel_ids:
        if parcel_id not in rows or rows[parcel_id].customer_id != customer_id:
            raise record_not_found(inbound_parcel_id=parcel_id)
    for row in rows.values():
        INBOUND_LIFE.next_status_or_raise(InboundStep.CONSOLIDATE, InboundState(row.state))
    return list(rows.values())


async def add_to_ship_out(
    call: Call, parcel_ids: Collection[int], *, customer_id: int, ship_out_id: int
) -> Sequence[InboundParcelRow]:
    """Add parcels of a customer to a ship-out: all of them, or none.

    Returns the earlier rows, locked. Parcels that are already in this ship-out stay in it. Raises `NOT_FOUND` for
    parcels of others, and `INBOUND_STEP_REFUSED` for those that are not here or are in another ship-out.
    """
    rows = await store.list_parcels_of_ids(call.work, parcel_ids, lock=True)
    for parcel_id in parcel_ids:
        if parcel_id not in rows or rows[parcel_id].customer_id != customer_id:
            raise record_not_found(parcel_id=parcel_id)
    new = [row for row in rows.values() if row.ship_out_id != ship_out_id]
    for row in new:
        INBOUND_LIFE.next_status_or_raise(InboundStep.CONSOLIDATE, InboundState(row.state))
    changes = {"state": InboundState.CONSOLIDATED.value, "ship_out_id": ship_out_id, "updated_at": call.now}
    await store.update_parcels(call.work, [row.id for row in new], changes)
    return list(rows.values())


async def remove_from_shipout(call: Call, ship_out_id: int, parcel_ids: Collection[int] | None = None) -> int:
    """Release parcels of a ship-out: those given, or all. Return their number."""
    return await _step(call, InboundStep.TAKE_OUT, ship_out_id, parcel_ids, {"ship_out_id": None})


async def record_ship_out_departure(call: Call, ship_out_id: int) -> int:
    """Record the departure of a ship-out's parcels. Safe to repeat.

    Returns the number of parcels that left now.
    """
    return await _step(call, InboundStep.SHIP, ship_out_id, None, {})


async def _step(
    call: Call, step: InboundStep, ship_out_id: int, parcel_ids: Collection[int] | None, changes: dict[str, None]
) -> int:
    rows = await store.list_parcels_of_ship_out(call.work, ship_out_id, lock=True)
    able = [
        row.id
        for row in rows
        if (parcel_ids is None or row.id in parcel_ids) and INBOUND_LIFE.next_status(step, InboundState(row.state))
    ]
    reached = INBOUND_LIFE.transitions[step][InboundState.CONSOLIDATED]
    await store.update_parcels(call.work, able, {**changes, "state": reached.value, "updated_at": call.now})
    return len(able)
