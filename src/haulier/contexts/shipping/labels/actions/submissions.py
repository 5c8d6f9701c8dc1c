"""Writes of labels for other families: submissions."""

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from msgspec import Struct, to_builtins
from pydantic import ValidationError

from haulier.contexts.identity.public import get_client_language, require_client
from haulier.contexts.shipping.accounts.queries import (
    CarrierAccountRow,
    get_account_of_shipment,
    get_default_account,
    open_carrier,
)
from haulier.contexts.shipping.accounts.rules import make_own_message
from haulier.contexts.shipping.accounts.serializers import join_remarks
from haulier.contexts.shipping.labels import store
from haulier.contexts.shipping.labels.actions.carrier_rates import (
    Rated,
    own_customer_id,
    rate_terms,
    require_customer,
    with_incomparable,
)
from haulier.contexts.shipping.labels.actions.purchases import hold_price, offer_columns, reconcile_purchase, store_void
from haulier.contexts.shipping.labels.contract import PurchaseTerms, ShipmentTerms
from haulier.contexts.shipping.labels.queries import get_shipment_of_business
from haulier.contexts.shipping.labels.rules import (
    LEASE,
    SETTLE_AFTER,
    SETTLE_PURCHASE_JOB,
    SETTLE_VOID_JOB,
    SHIPMENT_LIFE,
    SHIPMENT_REF_TAKEN,
    SHIPMENT_STEP_REFUSED,
    Offer,
    Remark,
    SettleShipment,
    ShipmentState,
    ShipmentStep,
    cheapest,
    fault,
    is_leased,
    list_differences,
    remark,
    ship_moment,
)
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
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import CONFLICT, FieldError, OperationError, record_not_found
from haulier.kernel.principal import Business
from haulier.kernel.values.ids import CROCKFORD_ALPHABET
from haulier.kernel.values.one_time_codes import make_public_code

DIFFERS_FROM_ORDER = "field.differs_from_order"


class Submitted(Struct, frozen=True):
    """A new or existing shipment."""

    row: store.ShipmentRow
    existing: bool


class Draft(Struct, frozen=True, kw_only=True):
    """A shipment to insert. Without an offer it cannot be bought yet."""

    terms: ShipmentTerms
    offer: Offer | None
    purchase: PurchaseTerms
    rate_id: str | None = None
    buy: bool = True
    order_id: int | None = None
    """The order that it carries."""
    order_fulfilment: str | None = None
    """The order's fulfilment before."""


async def submit_shipment(call: Call, draft: Draft) -> Submitted:
    """Insert a shipment and claim its purchase.

    A repeat returns the existing shipment and buys what was not sold before. Raises `SHIPMENT_REF_TAKEN` if the
    reference is another shipment's, `NOT_FOUND` for an unknown customer, `CREDIT_INSUFFICIENT` if the customer cannot
    pay.
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
        await check_purchase(call, row.id)
    return Submitted(row, existing=False)


async def check_purchase(call: Call, shipment_id: int) -> None:
    """Enqueue a job that settles a purchase if the call does not."""
    await call.enqueue(SETTLE_PURCHASE_JOB, SettleShipment(shipment_id), run_at=call.now + SETTLE_AFTER)


async def claim_purchase(call: Call, row: store.ShipmentRow, offer: Offer, **changes: Any) -> None:
    """Claim the purchase of an existing shipment. Raises `SHIPMENT_STEP_REFUSED`."""
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
    await check_purchase(call, row.id)


async def attach_shipment(call: Call, shipment_id: int, order_id: int, fulfilment: str) -> None:
    """Attach a shipment to an order. `fulfilment` is that of the order before."""
    await store.update_shipment_row(call.work, shipment_id, {"order_id": order_id, "order_fulfilment": fulfilment})


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
    """Return differences from the shipment with the same reference."""
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
        "order_id": draft.order_id,
        "order_fulfilment": draft.order_fulfilment,
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
    """Return the shipment columns of its terms."""
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
    """Return True if a shipment matches terms."""
    return row.terms == _plain_terms(terms)


def _plain_terms(terms: ShipmentTerms) -> dict[str, Any]:
    document = terms.model_dump(mode="json", include=set(ShipmentTerms.model_fields))
    return msgspec.json.decode(msgspec.json.encode(document))


def make_reference() -> str:
    """Return a random shipment reference for carriers, 80 bits."""
    return "HL" + make_public_code(CROCKFORD_ALPHABET, 16)


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
    """Begin to void a label, or void it at once if none was sold.

    Returns the current shipment. The row must be locked. A repeat changes nothing. After handover only staff can void:
    a correction, which the audit trail shows with the manifest. Raises `SHIPMENT_STEP_REFUSED`.
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
    """Return True if the caller is a customer and the label was handed over."""
    return row.manifest_id is not None and call.principal.account is Account.CUSTOMER


async def reconcile_void(app: Application, client_id: int, shipment_id: int) -> None:
    """Void a label with its carrier and store the result.

    Safe to repeat, also concurrently.
    """
    task = asyncio.create_task(_reconcile(app, client_id, shipment_id))
    _running.add(task)
    task.add_done_callback(_running.discard)
    await asyncio.shield(task)


async def _reconcile(app: Application, client_id: int, shipment_id: int) -> None:
    claim = await _claim(app, client_id, shipment_id)
    if claim is not None:
        await _store(app, client_id, claim, await _request_void(app, claim))


async def _claim(app: Application, client_id: int, shipment_id: int) -> VoidClaim | None:
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


async def _request_void(app: Application, claim: VoidClaim) -> VoidOutcome:
    """Return the carrier's answer; unclear answers are retried later."""
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


_UNDER_WAY = frozenset({ShipmentState.IN_TRANSIT, ShipmentState.DELIVERED})


class LabelRequest(Struct, frozen=True):
    """A label request. Without a service, the carrier's cheapest one."""

    business: Business
    terms: ShipmentTerms
    account_id: int | None
    service: str | None


Submit = Callable[[Call], Awaitable[int]]
"""Inserts the shipment and claims its purchase in the caller's transaction; returns its id."""
Claim = Callable[[Call, Submit], Awaitable[int | None]]
"""Checks that the label is still wanted, submits it, and stores its id; None if it is no longer wanted."""


async def buy_label_for(
    app: Application, client_id: int, wanted: LabelRequest, order_ref: str, claim: Claim
) -> str | None:
    """Buy a label. Return why no carrier offers one, or None.

    Safe to repeat: the reference is the label's. Carrier refusals raise nothing; `claim` is called in its own
    transaction once there is an offer.
    """
    try:
        rated = await _rate(app, wanted)
    except (OperationError, ValidationError) as fault:
        return str(fault)
    offer = cheapest(rated.offers, wanted.business.currency)
    if offer is None:
        rated = with_incomparable(app, rated, rated.offers, wanted.business.currency)
        async with app.database.read(client_id) as work:
            language = get_client_language(await require_client(work, client_id))
        return join_remarks(app, language, rated.remarks) or "-"

    async def submit(call: Call) -> int:
        purchase = PurchaseTerms(order_ref=order_ref)
        submitted = await submit_shipment(call, Draft(terms=wanted.terms, offer=offer, purchase=purchase))
        return submitted.row.id

    async with app.database.write(client_id) as work:
        shipment_id = await claim(await call_as_system(app, client_id, work), submit)
    if shipment_id is not None:
        await reconcile_purchase(app, client_id, shipment_id)
    return None


async def account_or_default(work: UnitOfWork, account_id: int | None) -> int | None:
    """Return the account, or the default one, or None."""
    if account_id is not None:
        return account_id
    default = await get_default_account(work)
    return default and default.id


async def withdraw_label(call: Call, shipment_id: int) -> bool:
    """Void an unwanted label. Return False if the carrier has the parcels."""
    shipment = await get_shipment_of_business(call, shipment_id, lock=True)
    if shipment is None:
        return True
    if shipment.state in _UNDER_WAY or (shipment.state == ShipmentState.PURCHASED and is_beyond_caller(call, shipment)):
        return False
    # Not now: the carrier is being called, and its label is voided when it arrives.
    if shipment.state != ShipmentState.PURCHASE_UNKNOWN:
        await begin_void(call, shipment)
    return True


async def purchase_fault(call: Call, shipment_id: int) -> str:
    """Return why a carrier sold no label, in the language of the business."""
    shipment = await get_shipment_of_business(call, shipment_id)
    remarks = msgspec.convert(shipment.messages if shipment else [], list[Remark])
    language = get_client_language(await require_client(call.work, call.client_id))
    return join_remarks(call.app, language, remarks) or "-"


async def _rate(app: Application, wanted: LabelRequest) -> Rated:
    return await rate_terms(
        app,
        wanted.business,
        wanted.terms,
        account_ids=[wanted.account_id] if wanted.account_id else [],
        services=[wanted.service] if wanted.service else [],
    )
