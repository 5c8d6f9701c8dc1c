"""Shipments are written down and claimed, before any carrier is asked for a label."""

import hashlib
from typing import Any

import msgspec
from msgspec import Struct

from haulier.contexts.shipping.labels.actions.money import hold_price
from haulier.contexts.shipping.labels.actions.purchases import offer_columns
from haulier.contexts.shipping.labels.actions.quotes import own_customer_id, require_customer
from haulier.contexts.shipping.labels.contract.rates import PurchaseTerms
from haulier.contexts.shipping.labels.contract.shipments import ShipmentTerms
from haulier.contexts.shipping.labels.rules.lifecycle import (
    SETTLE_AFTER,
    SHIPMENT_LIFE,
    SHIPMENT_REF_TAKEN,
    ShipmentState,
    ShipmentStep,
)
from haulier.contexts.shipping.labels.rules.rates import Offer, list_differences, ship_moment
from haulier.contexts.shipping.labels.rules.work import SETTLE_PURCHASE_JOB, SettleShipment
from haulier.contexts.shipping.labels.store import shipments as store
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import CONFLICT, FieldError
from haulier.kernel.values.ids import CROCKFORD_ALPHABET
from haulier.kernel.values.one_time_codes import make_public_code

DIFFERS_FROM_ORDER = "field.differs_from_order"


class Submitted(Struct, frozen=True):
    """A shipment that was written, or one that was there."""

    row: store.ShipmentRow
    existing: bool


class Draft(Struct, frozen=True, kw_only=True):
    """A shipment to write. Without an offer it cannot be bought yet."""

    terms: ShipmentTerms
    offer: Offer | None
    purchase: PurchaseTerms
    rate_id: str | None = None
    buy: bool = True


async def submit_shipment(call: Call, draft: Draft) -> Submitted:
    """Write a shipment, and claim its purchase. A repeat gives what is there, and buys what was not sold before.

    Raises `SHIPMENT_REF_TAKEN` where the reference is another shipment's, `NOT_FOUND` for an unknown customer,
    `CREDIT_INSUFFICIENT` where they cannot pay it.
    """
    purchase = draft.purchase
    customer_id = own_customer_id(call.principal, purchase.customer_id)
    if purchase.customer_id is not None:
        await require_customer(call.work, call.principal, purchase.customer_id)
    claim = _claim_key(draft, customer_id)
    row = await store.insert_shipment(call.work, _new_row(call, draft, customer_id, claim))
    if row is None:
        if claim is None:
            raise CONFLICT()
        return await _repeat(call, draft, claim)
    call.add_audit_subjects("shipment", row.id)
    if draft.offer and row.state == ShipmentState.PURCHASE_UNKNOWN:
        await hold_price(call, row, draft.offer)
        await look_after_purchase(call, row.id)
    return Submitted(row, existing=False)


async def look_after_purchase(call: Call, shipment_id: int) -> None:
    """Let a job settle a purchase that is claimed now, should nobody have done so by then."""
    await call.enqueue(SETTLE_PURCHASE_JOB, SettleShipment(shipment_id), run_at=call.now + SETTLE_AFTER)


async def claim_purchase(call: Call, row: store.ShipmentRow, offer: Offer, **changes: Any) -> None:
    """Claim the purchase of a shipment that is there. Raises `SHIPMENT_STEP_REFUSED`."""
    state = SHIPMENT_LIFE.next_status_or_raise(ShipmentStep.BUY, ShipmentState(row.state))
    values = {
        **offer_columns(offer),
        **changes,
        "state": state.value,
        "messages": [],
        "attempt": 0,
        "leased_until": None,
        "updated_at": call.now,
    }
    await store.update_shipment_row(call.work, row.id, values)
    await hold_price(call, row, offer)
    call.add_audit_subjects("shipment", row.id)
    await look_after_purchase(call, row.id)


def _claim_key(draft: Draft, customer_id: int | None) -> str | None:
    if draft.purchase.order_ref:
        return f"ref:{customer_id or 0}:{draft.purchase.order_ref}"
    return f"rate:{draft.rate_id}" if draft.rate_id else None


async def _repeat(call: Call, draft: Draft, claim: str) -> Submitted:
    row = await store.find_claimed_shipment(call.work, claim)
    if row is None:
        raise CONFLICT()
    locked = await store.get_shipment_row(call.work, row.id, lock=True)
    if locked is None or not is_same_shipment(locked, draft.terms):
        raise SHIPMENT_REF_TAKEN.for_fields(*_differences(draft, locked.terms if locked else {}))
    if draft.buy and draft.offer and ShipmentStep.BUY in SHIPMENT_LIFE.actions(ShipmentState(locked.state)):
        await claim_purchase(call, locked, draft.offer)
    return Submitted(await store.get_shipment_row(call.work, row.id) or locked, existing=True)


def _differences(draft: Draft, before: dict[str, Any]) -> list[FieldError]:
    """Name the fields in which a shipment differs from the one that has its reference."""
    if draft.rate_id is not None:
        return [FieldError("rate_id", DIFFERS_FROM_ORDER)]
    return [FieldError(f"shipment.{name}", DIFFERS_FROM_ORDER) for name in differences_from(before, draft.terms)]


def differences_from(before: dict[str, Any], terms: ShipmentTerms) -> list[str]:
    """Return the fields in which terms differ from those of a shipment."""
    return list_differences(before, _plain_terms(terms))


def _new_row(call: Call, draft: Draft, customer_id: int | None, claim: str | None) -> dict[str, Any]:
    bought = draft.buy and draft.offer is not None
    no_offer: dict[str, Any] = dict.fromkeys(
        ("account_id", "carrier", "service", "service_name", "offer", "price_minor", "cost_minor", "currency")
    )
    return {
        "state": (ShipmentState.PURCHASE_UNKNOWN if bought else ShipmentState.DRAFT).value,
        "reference": make_reference(),
        "claim_key": claim,
        "order_ref": draft.purchase.order_ref,
        "customer_id": customer_id,
        "label_format": draft.purchase.label_format,
        "messages": [],
        "attempt": 0,
        "claims": 0,
        "created_by": call.actor,
        "created_at": call.now,
        "updated_at": call.now,
        **terms_columns(call, draft.terms),
        **(offer_columns(draft.offer) if draft.offer else no_offer),
    }


def terms_columns(call: Call, terms: ShipmentTerms) -> dict[str, Any]:
    """What a shipment keeps of what is shipped."""
    sender = terms.shipper.model_dump_json() if terms.shipper else ""
    return {
        "terms": _plain_terms(terms),
        "origin": hashlib.sha256(sender.encode()).hexdigest() if sender else "",
        "consignee_name": terms.consignee.name,
        "consignee_email": terms.consignee.email,
        "consignee_phone": terms.consignee.phone,
        "ship_date": ship_moment(terms, call.now, call.time_zone).date(),
    }


def is_same_shipment(row: store.ShipmentRow, terms: ShipmentTerms) -> bool:
    """Whether a shipment is what some terms say."""
    return row.terms == _plain_terms(terms)


def _plain_terms(terms: ShipmentTerms) -> dict[str, Any]:
    document = terms.model_dump(mode="json", include=set(ShipmentTerms.model_fields))
    return msgspec.json.decode(msgspec.json.encode(document))


def make_reference() -> str:
    """Our name of a shipment at its carrier: 80 random bits, so that nobody guesses another's."""
    return "HL" + make_public_code(CROCKFORD_ALPHABET, 16)
