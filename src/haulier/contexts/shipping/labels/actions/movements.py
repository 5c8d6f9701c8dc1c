"""What carriers say of parcels under way: into their timelines, and into the state of their shipment."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import UNSET, Struct

from haulier.contexts.otep.public import phase_of_code, resolve_status
from haulier.contexts.shipping.accounts.queries import CarrierAccountRow, get_account_of_shipment, open_carrier
from haulier.contexts.shipping.events import ShipmentMoved
from haulier.contexts.shipping.labels.rules.lifecycle import (
    SHIPMENT_LIFE,
    ShipmentState,
    ShipmentStep,
    state_of_phase,
)
from haulier.contexts.shipping.labels.store import shipments as store
from haulier.contexts.shipping.ports import Capability, CarrierEvent
from haulier.contexts.tracking.public import Location, NewEvent, Source, record_events
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


async def ask_for_scans(app: Application, watched: Watched) -> Mapping[str, Sequence[CarrierEvent]] | None:
    """What the carrier knows of each parcel; None where it cannot be asked at all. Raises what the port raises."""
    carrier = open_carrier(app, watched.account, watched.currency)
    if Capability.TRACK not in carrier.capabilities:
        return None
    return {number: await carrier.track(number) for number in watched.numbers}


async def store_scans(
    app: Application, client_id: int, watched: Watched, scans: Mapping[str, Sequence[CarrierEvent]]
) -> store.ShipmentRow | None:
    """Write scans into the timelines, and let the shipment move by them. Returns it as it is now."""
    async with app.database.write(client_id) as work:
        call = await call_as_system(app, client_id, work)
        row = await store.get_shipment_row(work, watched.row.id, lock=True)
        if row is None:
            return None
        events = [_event(row, number, scan) for number, each in scans.items() for scan in each]
        if events:
            await record_events(call, events)
            latest = {event.tracking_number: event for event in _latest_last(events)}
            await move_shipment(call, row, list(latest.values()))
        return await store.get_shipment_row(work, row.id)


def _latest_last(events: Sequence[NewEvent]) -> list[NewEvent]:
    return sorted(events, key=lambda event: event.occurred_at)


def _event(row: store.ShipmentRow, number: str, scan: CarrierEvent) -> NewEvent:
    place = {name: getattr(scan, name) or UNSET for name in ("city", "region", "country")}
    known = any(value is not UNSET for value in place.values())
    return NewEvent(
        tracking_number=number,
        status_code=scan.otep_code,
        occurred_at=scan.occurred_at,
        location=Location(**place) if known else None,
        source=Source(type="carrier", name=(row.carrier or "").lower()),
        reference=scan.event_id,
        raw_status=scan.text or scan.code,
        profile=PROFILE,
        order_ref=row.order_ref,
    )


async def move_shipment(call: Call, row: store.ShipmentRow, events: Sequence[NewEvent]) -> None:
    """Let a shipment move by the latest event of each parcel; it is delivered once all of those that were scanned are."""
    states = [state_of_phase(_phase(event.status_code)) for event in events]
    moved = [state for state in states if state is not None]
    if not moved:
        return
    newest = max(event.occurred_at for event in events)
    delivered = len(moved) == len(events) and all(state is ShipmentState.DELIVERED for state in moved)
    await set_movement(call, row, ShipmentState.DELIVERED if delivered else ShipmentState.IN_TRANSIT, newest)


def _phase(code: str) -> str:
    known = resolve_status(code, PROFILE)
    return phase_of_code(known.code if known else code, PROFILE)


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
