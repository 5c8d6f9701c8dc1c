"""Purchases of labels.

Customers pay from their wallet. If their prices are hidden, they settle with the business directly, and nothing is
held.

A shipment is claimed in its own transaction before its carrier is called, and is `purchase_unknown` until the answer is
stored. The caller holds a lease: the call itself, or the job that follows every claim. Before a second request, the
carrier is queried for our reference.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from haulier.contexts.billing.public import (
    ChargeDetails,
    MoneySubject,
    ProductClass,
    TaxPlace,
    capture_hold,
    hold_credit,
    record_carrier_cost,
    refund_remaining,
    void_hold,
)
from haulier.contexts.identity.public import get_customer_principal
from haulier.contexts.shipping.accounts.contract import LABELS
from haulier.contexts.shipping.accounts.queries import CarrierAccountRow, get_account_of_shipment, open_carrier
from haulier.contexts.shipping.accounts.rules import HOUSE, make_own_message
from haulier.contexts.shipping.events import LabelBought, LabelPurchaseFailed, LabelVoided
from haulier.contexts.shipping.labels import store
from haulier.contexts.shipping.labels.actions.carrier_rates import sender_of
from haulier.contexts.shipping.labels.contract import ShipmentTerms
from haulier.contexts.shipping.labels.rules import (
    BUY_AGAIN_AFTER,
    LEASE,
    MAX_PURCHASE_ATTEMPTS,
    SHIPMENT_LIFE,
    TRACK_JOB,
    Offer,
    Remark,
    ShipmentState,
    ShipmentStep,
    TrackShipment,
    carrier_shipment,
    fault,
    is_leased,
    offer_from_document,
    remark,
    ship_moment,
    taxes_of_offer,
    track_pause,
)
from haulier.contexts.shipping.ports import (
    BoughtParcel,
    Capability,
    Carrier,
    CarrierRefused,
    CarrierUnavailable,
    LabelFormat,
    OutcomeUnknown,
    Purchase,
    Severity,
    Shipment,
)
from haulier.contexts.tracking.public import NewEvent, Source, record_events, set_number_owner
from haulier.kernel.application import Application
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.operations.errors import CONFLICT, OperationError
from haulier.kernel.values.money import Money
from haulier.rendering.zpl import normalise_zpl

log = logging.getLogger("haulier.shipping")


async def hold_price(call: Call, row: store.ShipmentRow, offer: Offer) -> None:
    """Hold the price of a label. Raises `CREDIT_INSUFFICIENT`."""
    claims = row.claims + 1
    values: dict[str, int | None] = {"claims": claims, "hold_id": None}
    if await _pays(call, row) and offer.price.minor > 0:
        key = f"label:{row.id}:hold:{claims}"
        line = replace(_line(row, ""), taxes=taxes_of_offer(offer))
        hold = await hold_credit(call, row.customer_id or 0, offer.price, key=key, subject=_subject(row), line=line)
        values["hold_id"] = hold.id
    await store.update_shipment_row(call.work, row.id, values)


async def charge_price(call: Call, row: store.ShipmentRow, cost: Money | None, number: str) -> None:
    """Capture the held price and record the carrier's cost.

    It must not prevent storing a bought label.
    """
    values: dict[str, int | None] = {}
    try:
        async with call.savepoint():
            if row.hold_id is not None:
                taken = await capture_hold(
                    call, row.hold_id, key=f"label:{row.id}:purchase:{row.claims}", line=_line(row, number)
                )
                values["transfer_id"] = taken.transfer_id
            if cost is not None and cost.minor > 0 and row.carrier != HOUSE:
                key = f"label:{row.id}:cost:{row.claims}"
                values["cost_transfer_id"] = (
                    await record_carrier_cost(call, cost, key=key, subject=_subject(row))
                ).transfer_id
    except OperationError:
        log.exception("the money of shipment %s was not posted", row.id)
        return
    if values:
        await store.update_shipment_row(call.work, row.id, values)


async def release_price(call: Call, row: store.ShipmentRow) -> None:
    """Release the price held for a label that was not bought."""
    if row.hold_id is not None:
        await void_hold(call, row.hold_id)


async def return_price(call: Call, row: store.ShipmentRow) -> None:
    """Refund the remaining price and cost of a voided label."""
    for name, transfer_id in (("void", row.transfer_id), ("cost_void", row.cost_transfer_id)):
        if transfer_id is not None:
            await refund_remaining(call, transfer_id, key=f"label:{row.id}:{name}:{row.claims}")


async def _pays(call: Call, row: store.ShipmentRow) -> bool:
    if row.customer_id is None:
        return False
    customer = await get_customer_principal(call.work, call.business, row.customer_id)
    return customer is not None and not customer.hides(LABELS)


def _line(row: store.ShipmentRow, number: str) -> ChargeDetails:
    consignee = row.terms.get("consignee") or {}
    country = consignee.get("country")
    return ChargeDetails(
        item=row.service_name,
        reference=row.order_ref or number,
        recipient=row.consignee_name,
        serviced_on=row.ship_date,
        product_class=ProductClass.LABEL,
        place=TaxPlace(country, (consignee.get("region") or "").upper() or None) if country else None,
        taxes=taxes_of_offer(offer_from_document(row.offer)) if row.offer else None,
    )


def _subject(row: store.ShipmentRow) -> MoneySubject:
    return MoneySubject("label", row.id, LABELS)


LABEL_CREATED, CANCELLED = "label_created", "cancelled"
MAX_REMARKS = 50


async def store_purchase(call: Call, row: store.ShipmentRow, purchase: Purchase) -> None:
    """Store a purchased label, start its timeline and publish it."""
    state = SHIPMENT_LIFE.next_status_or_raise(ShipmentStep.BOUGHT, ShipmentState(row.state))
    said = [remark(message, row.account_id, row.carrier) for message in purchase.messages]
    await store.insert_labels(
        call.work,
        [
            {
                "shipment_id": row.id,
                "number": number,
                "tracking_number": parcel.tracking_number,
                "label_format": parcel.label_format.value,
                "content": printable_label(parcel),
            }
            for number, parcel in enumerate(purchase.parcels, 1)
        ],
    )
    values: dict[str, Any] = {
        "state": state.value,
        "leased_until": None,
        "tracking_number": purchase.tracking_number,
        "carrier_reference": purchase.carrier_reference,
        "bought_at": call.now,
        "moved_at": call.now,
        "updated_at": call.now,
    }
    if purchase.price is not None and purchase.price.currency == row.currency:
        values["cost_minor"] = purchase.price.minor
    values["messages"] = to_builtins(said)[:MAX_REMARKS]
    await store.update_shipment_row(call.work, row.id, values)
    await charge_price(call, row, purchase.price or _known_cost(row), purchase.tracking_number)
    numbers = [parcel.tracking_number for parcel in purchase.parcels]
    unmatched = await _begin_timelines(call, row, numbers)
    if unmatched:
        values["messages"] = (to_builtins([*said, *unmatched]))[:MAX_REMARKS]
        await store.update_shipment_row(call.work, row.id, {"messages": values["messages"]})
    await call.enqueue(TRACK_JOB, TrackShipment(shipment_id=row.id), run_at=call.now + track_pause(call.now - call.now))
    await call.publish(
        LabelBought(
            shipment_id=row.id,
            carrier=row.carrier or "",
            tracking_number=purchase.tracking_number,
            order_ref=row.order_ref,
        )
    )


def printable_label(parcel: BoughtParcel) -> bytes:
    """Return a stored label: ZPL without commands that affect later labels.

    ZPL that redefines its control characters is unchanged, because it cannot be parsed safely.
    """
    if parcel.label_format is not LabelFormat.ZPL:
        return parcel.label
    try:
        return normalise_zpl(parcel.label)
    except ValueError:
        log.warning("the label of %s redefines its control characters", parcel.tracking_number)
        return parcel.label


def _known_cost(row: store.ShipmentRow) -> Money | None:
    """Return the cost that the carrier quoted, or None."""
    return None if row.cost_minor is None or row.currency is None else Money(row.cost_minor, row.currency)


async def _begin_timelines(call: Call, row: store.ShipmentRow, numbers: Sequence[str]) -> list[Remark]:
    """Start the timeline of each parcel.

    A number that another business tracks gets none, and a remark.
    """
    try:
        async with call.savepoint():
            await record_events(call, [_own_event(row, number, LABEL_CREATED, call) for number in numbers])
            await set_number_owner(call, row.customer_id, shipped_numbers=numbers)
    except OperationError as error:
        log.warning("shipment %s has no timeline: %s", row.id, error)
        return [
            remark(make_own_message("carrier.not_tracked", "NOT_TRACKED", Severity.INFO), row.account_id, row.carrier)
        ]
    return []


def _own_event(row: store.ShipmentRow, number: str, code: str, call: Call) -> NewEvent:
    return NewEvent(
        tracking_number=number,
        status_code=code,
        occurred_at=call.now,
        source=Source(type="system"),
        reference=f"shipment-{row.id}-{code}",
        order_ref=row.order_ref,
    )


async def store_refusal(call: Call, row: store.ShipmentRow, remarks: Sequence[Remark], *, certain: bool) -> None:
    """Store and publish a refused purchase. It can be retried later.

    Unless `certain`, because an earlier answer was lost, the carrier is queried before the retry.
    """
    state = SHIPMENT_LIFE.next_status_or_raise(ShipmentStep.REFUSED, ShipmentState(row.state))
    values = {
        "state": state.value,
        "leased_until": None,
        "messages": to_builtins(list(remarks))[:MAX_REMARKS],
        "asked_at": None if certain else row.asked_at,
        "updated_at": call.now,
    }
    await store.update_shipment_row(call.work, row.id, values)
    await release_price(call, row)
    await call.publish(LabelPurchaseFailed(shipment_id=row.id, carrier=row.carrier or "", order_ref=row.order_ref))


async def store_void(call: Call, row: store.ShipmentRow) -> None:
    """Void a label, record it in the timeline and publish it.

    Its reference can be reused. It stays on its manifest: a closed manifest never changes.
    """
    values = {
        "state": ShipmentState.VOIDED.value,
        "leased_until": None,
        "claim_key": None,
        "voided_at": call.now,
        "updated_at": call.now,
    }
    await store.update_shipment_row(call.work, row.id, values)
    await return_price(call, row)
    numbers = [parcel.tracking_number for parcel in await store.list_parcel_rows(call.work, row.id)]
    if not numbers:
        return
    try:
        async with call.savepoint():
            await record_events(call, [_own_event(row, number, CANCELLED, call) for number in numbers])
    except OperationError as error:
        log.warning("shipment %s has no timeline: %s", row.id, error)
    await call.publish(
        LabelVoided(
            shipment_id=row.id,
            carrier=row.carrier or "",
            tracking_number=row.tracking_number or numbers[0],
            order_ref=row.order_ref,
        )
    )


STORE_ATTEMPTS = 5
STORE_PAUSE_S = 0.5
WAIT_FOR_OTHERS_S, LOOK_EVERY_S = 15.0, 0.1
_running: set[asyncio.Task[None]] = set()


class Claim(Struct, frozen=True):
    """A claimed purchase of this process.

    `asked_before`: the carrier may have been called.
    """

    row: store.ShipmentRow
    account: CarrierAccountRow
    currency: str
    time_zone: str
    now: datetime
    asked_before: datetime | None


class Outcome(Struct, frozen=True):
    """Result of a purchase: a purchase, or remarks. Neither: unknown."""

    purchase: Purchase | None = None
    refused: tuple[Remark, ...] | None = None


UNKNOWN = Outcome()


async def reconcile_purchase(app: Application, client_id: int, shipment_id: int) -> None:
    """Settle a claimed purchase with its carrier and store the result.

    Safe to repeat, also concurrently. Continues if the caller disconnects: a paid label must be stored.
    """
    task = asyncio.create_task(_reconcile(app, client_id, shipment_id))
    _running.add(task)
    task.add_done_callback(_running.discard)
    await asyncio.shield(task)


async def wait_for_purchase(app: Application, client_id: int, shipment_id: int) -> bool:
    """Settle a purchase, or wait for another process. Return True if it is settled.

    A job settles what is still unknown.
    """
    await reconcile_purchase(app, client_id, shipment_id)
    for _ in range(int(WAIT_FOR_OTHERS_S / LOOK_EVERY_S)):
        async with app.database.read(client_id) as work:
            row = await store.get_shipment_row(work, shipment_id)
        if row is None:
            return False
        if row.state != ShipmentState.PURCHASE_UNKNOWN or row.leased_until is None:
            return True
        await asyncio.sleep(LOOK_EVERY_S)
    return False


async def _reconcile(app: Application, client_id: int, shipment_id: int) -> None:
    claim = await _claim(app, client_id, shipment_id)
    if claim is None:
        return
    outcome = await _request_purchase(app, claim)
    await _retry_write(lambda: _store(app, client_id, claim, outcome))


async def _claim(app: Application, client_id: int, shipment_id: int) -> Claim | None:
    """Claim the right to call the carrier.

    None if there is nothing to do, or another process has it.
    """
    async with app.database.write(client_id) as work:
        call = await call_as_system(app, client_id, work)
        row = await store.get_shipment_row(work, shipment_id, lock=True)
        if row is None or row.state != ShipmentState.PURCHASE_UNKNOWN or is_leased(row.leased_until, call.now):
            return None
        account = await get_account_of_shipment(work, _known(row.account_id))
        taken = {"attempt": row.attempt + 1, "leased_until": call.now + LEASE, "asked_at": row.asked_at or call.now}
        await store.update_shipment_row(work, row.id, taken)
        business = call.business
        return Claim(row, account, business.currency, business.time_zone, call.now, row.asked_at)


async def _request_purchase(app: Application, claim: Claim) -> Outcome:
    """Buy the label, after looking for an earlier purchase if there may be one."""
    try:
        carrier = open_carrier(app, claim.account, claim.currency)
        shipment = shipment_of(claim)
        if claim.asked_before is not None:
            found = await _find_purchase(carrier, claim, shipment)
            if found is not None:
                return found
            await _record_question(app, claim)
        offer = offer_from_document(claim.row.offer)
        return Outcome(await carrier.buy(shipment, offer.rate, LabelFormat(claim.row.label_format)))
    except CarrierRefused as refusal:
        account = claim.account
        return Outcome(refused=tuple(remark(each, account.id, account.carrier) for each in refusal.messages))
    except CarrierUnavailable as outage:
        if claim.asked_before is not None:
            return UNKNOWN
        log.warning("purchase of shipment %s: %s", claim.row.id, outage)
        return _refusal(claim, "NOT_REACHED", "carrier.not_reached", account=claim.account.name)
    except OutcomeUnknown as lost:
        log.warning("purchase of shipment %s: the answer was lost: %s", claim.row.id, lost)
        return UNKNOWN
    except Exception:
        # Unknown, not failed: an answer that cannot be parsed may confirm a purchase.
        log.exception("purchase of shipment %s", claim.row.id)
        return UNKNOWN


async def _find_purchase(carrier: Carrier, claim: Claim, shipment: Shipment) -> Outcome | None:
    """Return the purchase under our reference, or None if it can be retried."""
    if Capability.RECOVER not in carrier.capabilities:
        return UNKNOWN
    try:
        purchase = await carrier.find_purchase(shipment)
    except (CarrierRefused, CarrierUnavailable):
        return UNKNOWN
    if purchase is not None:
        return Outcome(purchase)
    if claim.asked_before and claim.now < claim.asked_before + BUY_AGAIN_AFTER:
        return UNKNOWN
    if claim.row.attempt >= MAX_PURCHASE_ATTEMPTS:
        return _refusal(claim, "NOT_BOUGHT", "carrier.not_bought")
    return None


async def _record_question(app: Application, claim: Claim) -> None:
    """Record that the carrier is called again."""
    async with app.database.write(claim.row.client_id) as work:
        await store.update_shipment_row(work, claim.row.id, {"asked_at": app.clock()})


def _refusal(claim: Claim, code: str, message: str, **params: str) -> Outcome:
    return Outcome(refused=(fault(code, message, claim.account.id, claim.account.carrier, **params),))


async def _retry_write(write: Callable[[], Awaitable[None]]) -> None:
    """Run a write that must not be lost, with a retry after database errors."""
    for attempt in range(STORE_ATTEMPTS):
        try:
            await write()
            return
        except Exception:
            if attempt == STORE_ATTEMPTS - 1:
                raise
            log.exception("a carrier's answer could not be stored")
            await asyncio.sleep(STORE_PAUSE_S * 2**attempt)


async def _store(app: Application, client_id: int, claim: Claim, outcome: Outcome) -> None:
    async with app.database.write(client_id) as work:
        call = await call_as_system(app, client_id, work)
        row = await store.get_shipment_row(work, claim.row.id, lock=True)
        if row is None or row.state != ShipmentState.PURCHASE_UNKNOWN:
            return
        if outcome.purchase is not None:
            await store_purchase(call, row, outcome.purchase)
        elif outcome.refused is not None:
            await store_refusal(call, row, outcome.refused, certain=claim.asked_before is None)
        else:
            await store.update_shipment_row(work, row.id, {"leased_until": None})


def shipment_of(claim: Claim) -> Shipment:
    """Return the carrier request; only a past date differs between attempts."""
    terms = ShipmentTerms.model_validate(claim.row.terms)
    sender = sender_of(terms, claim.account)
    if sender is None:
        raise CarrierUnavailable("the sender is unknown")
    return carrier_shipment(
        terms,
        reference=claim.row.reference,
        sender=sender,
        ship_at=ship_moment(terms, claim.now, ZoneInfo(claim.time_zone)),
        currency=claim.currency,
        order_ref=claim.row.order_ref,
    )


def offer_columns(offer: Offer) -> dict[str, object]:
    """Return the shipment columns of its offer."""
    return {
        "account_id": offer.account_id,
        "carrier": offer.carrier,
        "service": offer.rate.service,
        "service_name": offer.rate.name[:120],
        "offer": to_builtins(offer),
        "price_minor": offer.price.minor,
        "cost_minor": offer.rate.price.minor,
        "currency": offer.price.currency,
    }


def _known(account_id: int | None) -> int:
    if account_id is None:
        raise CONFLICT()
    return account_id
