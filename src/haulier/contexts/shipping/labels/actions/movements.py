"""What carriers say of parcels under way: into their timelines, and into the state of their shipment."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from haulier.contexts.otep.public import Timeline, TrackingEvent, phase_of_code, status_order_key
from haulier.contexts.shipping.accounts.queries import (
    CarrierAccountRow,
    get_account_of_shipment,
    list_active_accounts,
    open_carrier,
)
from haulier.contexts.shipping.accounts.rules.accounts import HOUSE
from haulier.contexts.shipping.events import ShipmentMoved
from haulier.contexts.shipping.labels.rules.lifecycle import (
    SHIPMENT_LIFE,
    ShipmentState,
    ShipmentStep,
    state_of_phase,
)
from haulier.contexts.shipping.labels.store import shipments as store
from haulier.contexts.shipping.ports import Capability, CarrierEvent, UnreadScan
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

PROFILE = "parcel"
STEP_OF_STATE = {ShipmentState.IN_TRANSIT: ShipmentStep.MOVED, ShipmentState.DELIVERED: ShipmentStep.DELIVERED}


class Watched(Struct, frozen=True):
    """A shipment whose carrier can be asked for scans."""

    row: store.ShipmentRow
    account: CarrierAccountRow
    currency: str
    numbers: Sequence[str]


async def watch(app: Application, client_id: int, shipment_id: int) -> Watched | None:
    """A shipment that is under way; None where nothing more is expected."""
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


async def ask_for_scans(app: Application, watched: Watched) -> Mapping[str, Sequence[CarrierEvent | UnreadScan]] | None:
    """What the carrier knows of each parcel; None where it cannot be asked at all. Raises what the port raises."""
    carrier = open_carrier(app, watched.account, watched.currency)
    if Capability.TRACK not in carrier.capabilities:
        return None
    return {number: await carrier.track(number) for number in watched.numbers}


async def ask_for_scans_of(
    app: Application, client_id: int, carrier: str, number: str
) -> Sequence[CarrierEvent | UnreadScan] | None:
    """What a carrier of the client's tells of a number that was not bought here; None where it cannot be asked.

    Raises what the port raises.
    """
    async with app.database.read(client_id) as work:
        accounts = [row for row in await list_active_accounts(work) if row.carrier == carrier and carrier != HOUSE]
    if not accounts:
        return None
    opened = open_carrier(app, accounts[0], currency="")  # Why none: only the house carrier wants to know it.
    return await opened.track(number) if Capability.TRACK in opened.capabilities else None


async def store_scans(
    app: Application, client_id: int, watched: Watched, scans: Mapping[str, Sequence[CarrierEvent | UnreadScan]]
) -> store.ShipmentRow | None:
    """Write scans into the timelines, and let the shipment move by them. Returns it as it is now."""
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
    """Record the scans that a carrier reported of some numbers, and store those that cannot be read. Returns the events."""
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
    """Let shipments move by what stands in the timelines of their parcels, some of which these numbers are.

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
    """The event that says where a parcel is: of one that nobody has yet, that its label was made. None for no event."""
    told = [event for event in timeline.events if not event.late]
    # Why: carriers' clocks are not ours, and a scan may bear an earlier time than the label that was scanned.
    return next((event for event in reversed(told) if event.phase != ANNOUNCED_PHASE), told[-1] if told else None)


async def move_shipment(call: Call, row: store.ShipmentRow, events: Sequence[NewEvent | TrackingEvent]) -> None:
    """Let a shipment move by the latest event of each parcel; it is delivered once all of those that were scanned are."""
    states = [state_of_phase(phase_of_code(event.status_code, PROFILE)) for event in events]
    moved = [state for state in states if state is not None]
    if not moved:
        return
    newest = max(event.occurred_at for event in events)
    delivered = len(moved) == len(events) and all(state is ShipmentState.DELIVERED for state in moved)
    await set_movement(call, row, ShipmentState.DELIVERED if delivered else ShipmentState.IN_TRANSIT, newest)


async def set_movement(call: Call, row: store.ShipmentRow, reached: ShipmentState, at: datetime) -> None:
    """Let a shipment be on its way or delivered, and announce it where that is new."""
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
