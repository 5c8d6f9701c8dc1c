"""Buying labels: never twice, never lost.

A shipment is claimed in a transaction of its own before its carrier is asked, and says `purchase_unknown` until the carrier's
answer is stored. Whoever asks holds a lease: the call itself, or the job that follows every claim. Before a carrier is asked a
second time, it is asked what it knows under our reference.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from msgspec import Struct, to_builtins

from haulier.contexts.shipping.accounts.queries import CarrierAccountRow, get_account_of_shipment, open_carrier
from haulier.contexts.shipping.labels.actions.bought import store_purchase, store_refusal
from haulier.contexts.shipping.labels.actions.carrier_rates import sender_of
from haulier.contexts.shipping.labels.contract.shipments import ShipmentTerms
from haulier.contexts.shipping.labels.rules.lifecycle import (
    BUY_AGAIN_AFTER,
    LEASE,
    MAX_PURCHASE_ATTEMPTS,
    ShipmentState,
    is_leased,
)
from haulier.contexts.shipping.labels.rules.rates import (
    Offer,
    Remark,
    carrier_shipment,
    fault,
    offer_from_document,
    remark,
    ship_moment,
)
from haulier.contexts.shipping.labels.store import shipments as store
from haulier.contexts.shipping.ports import (
    Capability,
    Carrier,
    CarrierRefused,
    CarrierUnavailable,
    LabelFormat,
    OutcomeUnknown,
    Purchase,
    Shipment,
)
from haulier.kernel.application import Application
from haulier.kernel.call import call_as_system
from haulier.kernel.operations.errors import CONFLICT

log = logging.getLogger("haulier.shipping")
STORE_ATTEMPTS = 5
STORE_PAUSE_S = 0.5
WAIT_FOR_OTHERS_S, LOOK_EVERY_S = 15.0, 0.1
_running: set[asyncio.Task[None]] = set()


class Claim(Struct, frozen=True):
    """A purchase that this process may ask the carrier about. `asked_before` is when somebody may have asked it already."""

    row: store.ShipmentRow
    account: CarrierAccountRow
    currency: str
    time_zone: str
    now: datetime
    asked_before: datetime | None


class Outcome(Struct, frozen=True):
    """What came of asking: a purchase, or remarks why there is none. None of both: nobody knows."""

    purchase: Purchase | None = None
    refused: tuple[Remark, ...] | None = None


UNKNOWN = Outcome()


async def settle_purchase(app: Application, client_id: int, shipment_id: int) -> None:
    """Find out what comes of a claimed purchase, and store it. Harmless to repeat, also at the same moment.

    The work goes on where whoever waits for it is gone: what was paid for must be stored.
    """
    task = asyncio.create_task(_settle(app, client_id, shipment_id))
    _running.add(task)
    task.add_done_callback(_running.discard)
    await asyncio.shield(task)


async def await_purchase(app: Application, client_id: int, shipment_id: int) -> bool:
    """Settle a purchase; where another process asks at this moment, wait for its outcome. Whether one is known.

    What is not known by then, a job finds out.
    """
    await settle_purchase(app, client_id, shipment_id)
    for _ in range(int(WAIT_FOR_OTHERS_S / LOOK_EVERY_S)):
        async with app.database.read(client_id) as work:
            row = await store.get_shipment_row(work, shipment_id)
        if row is None:
            return False
        if row.state != ShipmentState.PURCHASE_UNKNOWN or row.leased_until is None:
            return True
        await asyncio.sleep(LOOK_EVERY_S)
    return False


async def _settle(app: Application, client_id: int, shipment_id: int) -> None:
    claim = await _take_claim(app, client_id, shipment_id)
    if claim is None:
        return
    outcome = await _ask(app, claim)
    await _keep_trying(lambda: _store(app, client_id, claim, outcome))


async def _take_claim(app: Application, client_id: int, shipment_id: int) -> Claim | None:
    """The right to ask the carrier; None where there is nothing to ask, or another process asks."""
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


async def _ask(app: Application, claim: Claim) -> Outcome:
    """Ask the carrier for the label; first for what it sold already, where it may have been asked before."""
    try:
        carrier = open_carrier(app, claim.account, claim.currency)
        shipment = shipment_of(claim)
        if claim.asked_before is not None:
            found = await _look_for_purchase(carrier, claim, shipment)
            if found is not None:
                return found
            await _note_question(app, claim)
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
        # Why no failure: an answer that is not understood may say that the label was sold.
        log.exception("purchase of shipment %s", claim.row.id)
        return UNKNOWN


async def _look_for_purchase(carrier: Carrier, claim: Claim, shipment: Shipment) -> Outcome | None:
    """What the carrier knows under our reference. None: it knows nothing and may be asked again."""
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


async def _note_question(app: Application, claim: Claim) -> None:
    """Write down that the carrier is asked again from now on."""
    async with app.database.write(claim.row.client_id) as work:
        await store.update_shipment_row(work, claim.row.id, {"asked_at": app.clock()})


def _refusal(claim: Claim, code: str, message: str, **params: str) -> Outcome:
    return Outcome(refused=(fault(code, message, claim.account.id, claim.account.carrier, **params),))


async def _keep_trying(write: Callable[[], Awaitable[None]]) -> None:
    """Write something that must not be lost: once more after a pause where the database fails."""
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
    """What the carrier is asked for. It is the same at each attempt, save for the day where that is over."""
    terms = ShipmentTerms.model_validate(claim.row.terms)
    sender = sender_of(terms, claim.account)
    if sender is None:
        raise CarrierUnavailable("nobody is known to send")
    return carrier_shipment(
        terms,
        reference=claim.row.reference,
        sender=sender,
        ship_at=ship_moment(terms, claim.now, ZoneInfo(claim.time_zone)),
        currency=claim.currency,
        order_ref=claim.row.order_ref,
    )


def offer_columns(offer: Offer) -> dict[str, object]:
    """What a shipment keeps of the offer that it is bought by."""
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
