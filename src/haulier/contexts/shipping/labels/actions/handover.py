"""Writes of labels for other families: handover."""

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.otep.public import Timeline, TrackingEvent, phase_of_code, status_order_key
from haulier.contexts.shipping.accounts.contract import ShippingAddress
from haulier.contexts.shipping.accounts.queries import (
    CarrierAccountRow,
    get_account_of_shipment,
    list_active_accounts,
    open_carrier,
)
from haulier.contexts.shipping.accounts.rules import HOUSE, make_own_message
from haulier.contexts.shipping.events import ManifestClosed, ShipmentMoved
from haulier.contexts.shipping.labels import store
from haulier.contexts.shipping.labels.actions.carrier_rates import sender_of
from haulier.contexts.shipping.labels.contract import ShipmentTerms
from haulier.contexts.shipping.labels.rules import (
    LEASE,
    SETTLE_AFTER,
    SETTLE_MANIFEST_JOB,
    SHIPMENT_LIFE,
    SettleManifest,
    ShipmentState,
    ShipmentStep,
    is_leased,
    party,
    remark,
    state_of_phase,
)
from haulier.contexts.shipping.ports import (
    BoughtReference,
    Capability,
    CarrierEvent,
    CarrierRefused,
    CarrierUnavailable,
    Manifest,
    OutcomeUnknown,
    Severity,
    UnreadScan,
)
from haulier.contexts.tracking.public import (
    ANNOUNCED_PHASE,
    NewEvent,
    UnreadableScan,
    carrier_scan_event,
    find_timelines,
    record_events,
    store_unreadable_scans,
)
from haulier.kernel.application import Application
from haulier.kernel.call import Call, call_as_system

log = logging.getLogger("haulier.shipping")
MOST_ON_A_MANIFEST = 1000
_running: set[asyncio.Task[None]] = set()


class ManifestClaim(Struct, frozen=True):
    """A manifest that this process may ask the carrier about."""

    row: store.ManifestRow
    account: CarrierAccountRow
    currency: str
    shipments: Sequence[store.ManifestedRow]


async def begin_manifests(call: Call, day: date, account_ids: Sequence[int]) -> list[int]:
    """Put shipments up to a day on manifests of at most a thousand. Return their ids."""
    accounts = {row.id: row for row in await list_active_accounts(call.work, account_ids)}
    begun: list[int] = []
    for group in await store.list_open_groups(call.work, day, list(accounts)):
        after = 0
        account = accounts[group.account_id]
        place = await _place_of(call, group.first, account)
        while ids := await store.list_open_ids(
            call.work, day, group.account_id, group.origin, after, MOST_ON_A_MANIFEST
        ):
            after = ids[-1]
            begun.append(await store.insert_manifest(call.work, _new_manifest(call, day, account, place), ids))
    for manifest_id in begun:
        await call.enqueue(SETTLE_MANIFEST_JOB, SettleManifest(manifest_id), run_at=call.now + SETTLE_AFTER)
    return begun


def _new_manifest(call: Call, day: date, account: CarrierAccountRow, place: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "account_id": account.id,
        "carrier": account.carrier,
        "ship_date": day,
        "state": "closing",
        "shipments": 0,
        "place": place,
        "created_by": call.actor,
        "created_at": call.now,
    }


async def _place_of(call: Call, shipment_id: int, account: CarrierAccountRow) -> dict[str, Any]:
    """Return the origin of a group: that of its first shipment."""
    row = await store.get_shipment_row(call.work, shipment_id)
    sender = sender_of(ShipmentTerms.model_validate(row.terms), account) if row else None
    return sender.model_dump(mode="json") if sender else {}


async def reconcile_manifest(app: Application, client_id: int, manifest_id: int) -> None:
    """Close a manifest with its carrier and store the result.

    Safe to repeat, also concurrently.
    """
    task = asyncio.create_task(_reconcile(app, client_id, manifest_id))
    _running.add(task)
    task.add_done_callback(_running.discard)
    await asyncio.shield(task)


async def _reconcile(app: Application, client_id: int, manifest_id: int) -> None:
    claim = await _claim(app, client_id, manifest_id)
    if claim is not None:
        await _store(app, client_id, claim, await _request_manifest(app, claim))


async def _claim(app: Application, client_id: int, manifest_id: int) -> ManifestClaim | None:
    async with app.database.write(client_id) as work:
        call = await call_as_system(app, client_id, work)
        row = await store.get_manifest_row(work, manifest_id, lock=True)
        if row is None or row.state != "closing" or is_leased(row.leased_until, call.now):
            return None
        account = await get_account_of_shipment(work, row.account_id)
        await store.update_manifest_row(work, row.id, {"leased_until": call.now + LEASE})
        return ManifestClaim(row, account, call.business.currency, await store.list_manifested(work, row.id))


async def _request_manifest(app: Application, claim: ManifestClaim) -> Manifest | None:
    """Return the carrier's manifest, or None if the outcome is unknown."""
    bought = [
        BoughtReference(row.carrier_reference or "", (row.tracking_number,) if row.tracking_number else ())
        for row in claim.shipments
    ]
    named = tuple(each.carrier_reference for each in bought)
    try:
        carrier = open_carrier(app, claim.account, claim.currency)
        if Capability.MANIFEST not in carrier.capabilities:
            return Manifest(None, named, {})
        sender = party(ShippingAddress.model_validate(claim.row.place))
        return await carrier.close_day(claim.row.ship_date, sender, bought)
    except CarrierRefused as refusal:
        said = next(iter(refusal.messages), make_own_message("carrier.not_closed", "REFUSED"))
        return Manifest(None, (), dict.fromkeys(named, said))
    except (CarrierUnavailable, OutcomeUnknown) as outage:
        log.warning("manifest %s: %s", claim.row.id, outage)
    except Exception:
        log.exception("manifest %s", claim.row.id)
    return None


async def _store(app: Application, client_id: int, claim: ManifestClaim, taken: Manifest | None) -> None:
    async with app.database.write(client_id) as work:
        call = await call_as_system(app, client_id, work)
        row = await store.get_manifest_row(work, claim.row.id, lock=True)
        if row is None or row.state != "closing":
            return
        if taken is None:
            await store.update_manifest_row(work, row.id, {"leased_until": None})
            return
        closed = set(taken.closed)
        left = [each for each in claim.shipments if each.carrier_reference not in closed]
        count = len(claim.shipments) - len(left)
        await store.remove_from_manifest(work, [each.id for each in left])
        await _record_failure(call, left, taken)
        paper = taken.paper
        values = {
            "state": "closed" if count else "failed",
            "shipments": count,
            "leased_until": None,
            "carrier_manifest_id": taken.manifest_id,
            "paper": paper.content if paper else None,
            "paper_type": paper.media_type if paper else None,
            "closed_at": call.now,
        }
        await store.update_manifest_row(work, row.id, values)
        if count:
            await call.publish(ManifestClosed(manifest_id=row.id, carrier=row.carrier, shipments=count))


async def _record_failure(call: Call, left: Sequence[store.ManifestedRow], taken: Manifest) -> None:
    """Store the carrier's reason with each shipment that stays open."""
    for each in left:
        said = taken.messages.get(each.carrier_reference or "") or make_own_message("carrier.not_closed", "NOT_CLOSED")
        note = remark(msgspec.structs.replace(said, severity=Severity.ERROR), None, None)
        await store.update_shipment_row(call.work, each.id, {"messages": [msgspec.to_builtins(note)]})


PROFILE = "parcel"
STEP_OF_STATE = {ShipmentState.IN_TRANSIT: ShipmentStep.MOVED, ShipmentState.DELIVERED: ShipmentStep.DELIVERED}


class Watched(Struct, frozen=True):
    """A shipment whose carrier can be asked for scans."""

    row: store.ShipmentRow
    account: CarrierAccountRow
    currency: str
    numbers: Sequence[str]


async def watch(app: Application, client_id: int, shipment_id: int) -> Watched | None:
    """Return a shipment in transit to track, or None if nothing more is expected."""
    async with app.database.write(client_id) as work:
        call = await call_as_system(app, client_id, work)
        row = await store.get_shipment_row(work, shipment_id)
        if row is None or row.account_id is None or _is_over(row):
            return None
        account = await get_account_of_shipment(work, row.account_id)
        numbers = [parcel.tracking_number for parcel in await store.list_parcel_rows(work, row.id)]
        return Watched(row, account, call.business.currency, numbers)


def _is_over(row: store.ShipmentRow) -> bool:
    return row.state in (ShipmentState.DELIVERED, ShipmentState.VOIDED)


async def request_scans(app: Application, watched: Watched) -> Mapping[str, Sequence[CarrierEvent | UnreadScan]] | None:
    """Return the carrier's scans by parcel, or None if it cannot be queried.

    Raises the port's errors.
    """
    carrier = open_carrier(app, watched.account, watched.currency)
    if Capability.TRACK not in carrier.capabilities:
        return None
    return {number: await carrier.track(number) for number in watched.numbers}


async def request_scans_of(
    app: Application, client_id: int, carrier: str, number: str
) -> Sequence[CarrierEvent | UnreadScan] | None:
    """Return a carrier's scans of a foreign number, or None if it cannot be queried.

    Raises the port's errors.
    """
    async with app.database.read(client_id) as work:
        accounts = [row for row in await list_active_accounts(work) if row.carrier == carrier and carrier != HOUSE]
    if not accounts:
        return None
    opened = open_carrier(app, accounts[0], currency="")  # None: only the business's own carrier needs it.
    return await opened.track(number) if Capability.TRACK in opened.capabilities else None


async def store_scans(
    app: Application, client_id: int, watched: Watched, scans: Mapping[str, Sequence[CarrierEvent | UnreadScan]]
) -> store.ShipmentRow | None:
    """Record scans in timelines and move the shipment. Return its row."""
    async with app.database.write(client_id) as work:
        call = await call_as_system(app, client_id, work)
        row = await store.get_shipment_row(work, watched.row.id, lock=True)
        if row is None:
            return None
        carrier = row.carrier or ""
        if events := await record_scans(call, carrier, scans, row.order_ref):
            latest = {event.tracking_number: event for event in _latest_last(events)}
            await move_shipment(call, row, list(latest.values()))
        return await store.get_shipment_row(work, row.id)


async def record_scans(
    call: Call, carrier: str, scans: Mapping[str, Sequence[CarrierEvent | UnreadScan]], order_ref: str | None = None
) -> list[NewEvent]:
    """Record reported scans of numbers, storing unreadable ones. Return the events."""
    events = [
        carrier_scan_event(carrier, number, scan, order_ref)
        for number, each in scans.items()
        for scan in each
        if isinstance(scan, CarrierEvent)
    ]
    if events:
        await record_events(call, events)
    unread = [
        UnreadableScan(number, scan.sender, scan.document)
        for number, each in scans.items()
        for scan in each
        if isinstance(scan, UnreadScan)
    ]
    if unread:
        await store_unreadable_scans(call, carrier, unread)
    return events


def _latest_last(events: Sequence[NewEvent]) -> list[NewEvent]:
    return sorted(
        events, key=lambda event: status_order_key(event.occurred_at, phase_of_code(event.status_code, PROFILE))
    )


async def move_reported_shipments(call: Call, numbers: Collection[str]) -> None:
    """Move shipments by the timelines of their parcels with these numbers.

    Four statements, and those of each shipment that moves.
    """
    reported = await store.find_shipments_of_numbers(call.work, numbers)
    rows = await store.lock_shipment_rows(call.work, set(reported.values())) if reported else []
    parcels = await store.list_numbers_of_shipments(call.work, [row.id for row in rows]) if rows else []
    timelines = await find_timelines(call.work, {parcel.tracking_number for parcel in parcels}) if parcels else {}
    for row in rows:
        own = [parcel.tracking_number for parcel in parcels if parcel.shipment_id == row.id]
        last = [_last_event(timelines[number]) for number in own if number in timelines]
        if len(last) == len(own) and not _is_over(row):
            await move_shipment(call, row, [event for event in last if event is not None])


def _last_event(timeline: Timeline) -> TrackingEvent | None:
    """Return the latest event of a parcel's location, or None.

    A parcel that no carrier has yet counts as labelled.
    """
    told = [event for event in timeline.events if not event.late]
    # Carriers' clocks are not in sync with the server, and a scan can be earlier than the label.
    return next((event for event in reversed(told) if event.phase != ANNOUNCED_PHASE), told[-1] if told else None)


async def move_shipment(call: Call, row: store.ShipmentRow, events: Sequence[NewEvent | TrackingEvent]) -> None:
    """Move a shipment by the latest event of each parcel.

    It is delivered once all scanned parcels are.
    """
    states = [state_of_phase(phase_of_code(event.status_code, PROFILE)) for event in events]
    moved = [state for state in states if state is not None]
    if not moved:
        return
    newest = max(event.occurred_at for event in events)
    delivered = len(moved) == len(events) and all(state is ShipmentState.DELIVERED for state in moved)
    await set_movement(call, row, ShipmentState.DELIVERED if delivered else ShipmentState.IN_TRANSIT, newest)


async def set_movement(call: Call, row: store.ShipmentRow, reached: ShipmentState, at: datetime) -> None:
    """Set the movement of a shipment, and publish a change."""
    state = SHIPMENT_LIFE.next_status(STEP_OF_STATE[reached], ShipmentState(row.state))
    if state is None or (state.value == row.state and row.moved_at and row.moved_at >= at):
        return
    await store.update_shipment_row(call.work, row.id, {"state": state.value, "moved_at": at, "updated_at": call.now})
    if state.value != row.state:
        moved = ShipmentMoved(
            shipment_id=row.id,
            carrier=row.carrier or "",
            tracking_number=row.tracking_number or "",
            state=state.value,
            order_ref=row.order_ref,
        )
        await call.publish(moved)
