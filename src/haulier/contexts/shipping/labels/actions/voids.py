"""Giving labels back: the carrier is asked, and asked again while it has not decided."""

import asyncio
import logging

from msgspec import Struct, to_builtins

from haulier.contexts.shipping.accounts.queries import CarrierAccountRow, get_account_of_shipment, open_carrier
from haulier.contexts.shipping.accounts.rules.remarks import make_own_message
from haulier.contexts.shipping.labels.actions.bought import store_void
from haulier.contexts.shipping.labels.rules.lifecycle import (
    LEASE,
    SETTLE_AFTER,
    SHIPMENT_LIFE,
    SHIPMENT_STEP_REFUSED,
    ShipmentState,
    ShipmentStep,
    is_leased,
)
from haulier.contexts.shipping.labels.rules.rates import fault, remark
from haulier.contexts.shipping.labels.rules.work import SETTLE_VOID_JOB, SettleShipment
from haulier.contexts.shipping.labels.store import shipments as store
from haulier.contexts.shipping.ports import (
    BoughtReference,
    Capability,
    CarrierRefused,
    CarrierUnavailable,
    OutcomeUnknown,
    VoidOutcome,
    VoidState,
)
from haulier.kernel.application import Application
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import CONFLICT, record_not_found

log = logging.getLogger("haulier.shipping")
_running: set[asyncio.Task[None]] = set()
HANDED_OVER = "handed_over"
_PENDING = VoidOutcome(VoidState.PENDING)


class VoidClaim(Struct, frozen=True):
    """A void that this process may ask the carrier about."""

    row: store.ShipmentRow
    account: CarrierAccountRow
    currency: str
    bought: BoughtReference


async def begin_void(call: Call, row: store.ShipmentRow) -> store.ShipmentRow:
    """Begin to give a label back, or do so at once where none was sold. Returns the shipment as it is then.

    The row must be locked. A repeat changes nothing. After hand-over only the office can void: a correction, which the audit
    trail shows with the manifest. Raises `SHIPMENT_STEP_REFUSED`.
    """
    call.add_audit_subjects("shipment", row.id)
    if row.state in (ShipmentState.VOIDED, ShipmentState.VOID_PENDING):
        return row
    if row.manifest_id is not None:
        if is_beyond_caller(call, row):
            raise SHIPMENT_STEP_REFUSED(step=ShipmentStep.VOID.value, state=HANDED_OVER)
        call.add_audit_subjects("shipping_manifest", row.manifest_id)
    state = SHIPMENT_LIFE.next_status_or_raise(ShipmentStep.VOID, ShipmentState(row.state))
    if state is ShipmentState.VOIDED:
        await store_void(call, row)
    else:
        changes = {"state": state.value, "leased_until": None, "updated_at": call.now}
        await store.update_shipment_row(call.work, row.id, changes)
        await call.enqueue(SETTLE_VOID_JOB, SettleShipment(row.id), run_at=call.now + SETTLE_AFTER)
    changed = await store.get_shipment_row(call.work, row.id)
    if changed is None:
        raise record_not_found(shipment_id=row.id)
    return changed


def is_beyond_caller(call: Call, row: store.ShipmentRow) -> bool:
    """Return True if a label was handed over with a manifest and the caller is a customer, who cannot void it then."""
    return row.manifest_id is not None and call.principal.account is Account.CUSTOMER


async def settle_void(app: Application, client_id: int, shipment_id: int) -> None:
    """Ask the carrier to take a label back, and store what it says. Harmless to repeat, also at the same moment."""
    task = asyncio.create_task(_settle(app, client_id, shipment_id))
    _running.add(task)
    task.add_done_callback(_running.discard)
    await asyncio.shield(task)


async def _settle(app: Application, client_id: int, shipment_id: int) -> None:
    claim = await _take_claim(app, client_id, shipment_id)
    if claim is not None:
        await _store(app, client_id, claim, await _ask(app, claim))


async def _take_claim(app: Application, client_id: int, shipment_id: int) -> VoidClaim | None:
    async with app.database.write(client_id) as work:
        call = await call_as_system(app, client_id, work)
        row = await store.get_shipment_row(work, shipment_id, lock=True)
        if row is None or row.state != ShipmentState.VOID_PENDING or is_leased(row.leased_until, call.now):
            return None
        if row.account_id is None:
            raise CONFLICT()
        account = await get_account_of_shipment(work, row.account_id)
        numbers = tuple(parcel.tracking_number for parcel in await store.list_parcel_rows(work, row.id))
        await store.update_shipment_row(work, row.id, {"leased_until": call.now + LEASE})
        return VoidClaim(row, account, call.business.currency, BoughtReference(row.carrier_reference or "", numbers))


async def _ask(app: Application, claim: VoidClaim) -> VoidOutcome:
    """What the carrier says; whatever it does not say clearly is asked again later."""
    try:
        carrier = open_carrier(app, claim.account, claim.currency)
        if Capability.VOID not in carrier.capabilities:
            return VoidOutcome(VoidState.REFUSED, (make_own_message("carrier.cannot_void", "CANNOT_VOID"),))
        return await carrier.void(claim.bought)
    except CarrierRefused as refusal:
        return VoidOutcome(VoidState.REFUSED, refusal.messages)
    except (CarrierUnavailable, OutcomeUnknown) as outage:
        log.warning("void of shipment %s: %s", claim.row.id, outage)
    except Exception:
        log.exception("void of shipment %s", claim.row.id)
    return _PENDING


async def _store(app: Application, client_id: int, claim: VoidClaim, outcome: VoidOutcome) -> None:
    async with app.database.write(client_id) as work:
        call = await call_as_system(app, client_id, work)
        row = await store.get_shipment_row(work, claim.row.id, lock=True)
        if row is None or row.state != ShipmentState.VOID_PENDING:
            return
        said = [remark(message, row.account_id, row.carrier) for message in outcome.messages]
        if outcome.state is VoidState.VOIDED:
            await store_void(call, row)
            return
        values: dict[str, object] = {"leased_until": None, "updated_at": call.now}
        if outcome.state is VoidState.REFUSED:
            kept = SHIPMENT_LIFE.next_status_or_raise(ShipmentStep.KEPT, ShipmentState(row.state))
            values["state"] = kept.value
            said = said or [fault("VOID_REFUSED", "carrier.void_refused", row.account_id, row.carrier)]
        if said:
            values["messages"] = to_builtins(said)
        await store.update_shipment_row(work, row.id, values)
