"""Orders are made once: under the sender's reference, or for a rate."""

import hashlib
from typing import Any

from msgspec import Struct

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.public import ORDER_REF_TAKEN, SERVICE_UNKNOWN, create_orders, find_repeats
from haulier.contexts.orders.quotes.rules import RATE_NOT_AVAILABLE
from haulier.contexts.shipping.labels.actions.quotes import own_customer_id, require_customer
from haulier.contexts.shipping.labels.actions.submissions import (
    DIFFERS_FROM_ORDER,
    Draft,
    differences_from,
    submit_shipment,
)
from haulier.contexts.shipping.labels.actions.wanted import Wanted, rate_service, require_offer
from haulier.contexts.shipping.labels.contract.rates import PurchaseTerms
from haulier.contexts.shipping.labels.queries import get_shipment_of_business
from haulier.contexts.shipping.labels.rules.lifecycle import (
    SHIPMENT_REF_TAKEN,
    SHIPPING_RATE_EXPIRED,
    SHIPPING_RATE_NOT_AVAILABLE,
    ShipmentState,
)
from haulier.contexts.shipping.labels.rules.rates import Offer, ship_moment
from haulier.contexts.shipping.uniorder.actions.quotes import get_quoted_way
from haulier.contexts.shipping.uniorder.contract.orders import CreateUniorder
from haulier.contexts.shipping.uniorder.contract.rates import UniorderForm
from haulier.contexts.shipping.uniorder.rules.quoted import delivery_to_order
from haulier.contexts.shipping.uniorder.rules.states import LOCAL_CARRIER, STATUS_OF_SHIPMENT, UniorderStatus
from haulier.contexts.shipping.uniorder.store import uniorders as store
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import CONFLICT, NOT_FOUND, FieldError
from haulier.kernel.principal import Business

CREATE_UNIORDER_ERRORS = (
    NOT_FOUND,
    CONFLICT,
    ORDER_REF_TAKEN,
    SERVICE_UNKNOWN,
    RATE_NOT_AVAILABLE,
    CREDIT_INSUFFICIENT,
    SHIPMENT_REF_TAKEN,
    SHIPPING_RATE_EXPIRED,
    SHIPPING_RATE_NOT_AVAILABLE,
)
"""The errors of making an order, besides faults of the request."""


class Way(Struct, frozen=True, kw_only=True):
    """A form, and how it is sent: by an offer of a carrier, or by a service of local delivery."""

    form: UniorderForm
    offer: Offer | None = None
    local_service: str | None = None
    local_quote_id: str | None = None
    rate_id: str | None = None

    @property
    def kind(self) -> str:
        """`label` or `local`."""
        return "label" if self.offer else "local"


class MadeUniorder(Struct, frozen=True):
    """An order that was made, or one that was there."""

    row: store.UniorderRow
    existing: bool


async def rate_named_way(app: Application, business: Business | None, request: CreateUniorder) -> Wanted | None:
    """What the label costs now that a request names. None for a rate that was quoted, and for local delivery."""
    if request.order is None or request.kind == "local" or request.service is None:
        return None
    return await rate_service(app, business, request.order, request.account_id, request.service)


async def make_uniorder(call: Call, request: CreateUniorder, wanted: Wanted | None) -> MadeUniorder:
    """Make an order, and claim the purchase of its label. A repeat gives the order that is there.

    Raises what creating a local order or buying a label raises, and `ORDER_REF_TAKEN` where the reference is another order's.
    """
    way = await _choose_way(call, request, wanted)
    customer_id = own_customer_id(call.principal, request.customer_id)
    if request.customer_id is not None:
        await require_customer(call.work, call.principal, request.customer_id)
    claim, values = _claim_key(request, customer_id), _new_row(call, request, way, customer_id)
    row = await store.insert_uniorder(call.work, {**values, "claim_key": claim})
    if row is None:
        if claim is None:
            raise CONFLICT()
        if existing := await _existing(call, claim, request, way):
            return MadeUniorder(existing, existing=True)
        row = await store.insert_uniorder(call.work, {**values, "claim_key": claim})
        if row is None:
            raise CONFLICT()
    call.add_audit_subjects("uniorder", row.id)
    carried = await (_buy_label if way.offer else _order_locally)(call, request, way, row.id)
    await store.update_uniorder(call.work, row.id, carried)
    return MadeUniorder(await store.get_uniorder_row(call.work, row.id) or row, existing=False)


async def _choose_way(call: Call, request: CreateUniorder, wanted: Wanted | None) -> Way:
    if request.rate_id is not None:
        quoted = await get_quoted_way(call, request.rate_id)
        return Way(
            form=quoted.form,
            offer=quoted.offer,
            local_service=quoted.local.service if quoted.local else None,
            local_quote_id=quoted.local_quote_id if quoted.local else None,
            rate_id=request.rate_id,
        )
    assert request.order is not None  # the request's own validator requires it
    if wanted is None:
        return Way(form=request.order, local_service=request.service)
    return Way(form=request.order, offer=require_offer(call, wanted))


async def _existing(call: Call, claim: str, request: CreateUniorder, way: Way) -> store.UniorderRow | None:
    """The order that has the claim; None where it gave it up because its label was given back.

    Raises `ORDER_REF_TAKEN` where it is not what is asked for.
    """
    row = await store.lock_claimed_uniorder(call.work, claim)
    if row is None:
        raise CONFLICT()
    if row.kind == "label" and row.status == UniorderStatus.CANCELLED:
        await store.update_uniorder(call.work, row.id, {"claim_key": None})
        return None
    if row.form_digest != _digest(way):
        faults = [FieldError(name, DIFFERS_FROM_ORDER) for name in await _differences(call, row, request, way)]
        raise ORDER_REF_TAKEN.for_fields(*faults, order_ref=request.order_ref)
    return row


async def _differences(call: Call, row: store.UniorderRow, request: CreateUniorder, way: Way) -> list[str]:
    """Name the fields in which a request differs from the order that has its reference."""
    if request.order is None:
        return ["rate_id"]
    if row.kind != way.kind:
        return ["kind"]
    if row.shipment_id is not None:
        shipment = await get_shipment_of_business(call, row.shipment_id)
        found = differences_from(shipment.terms, way.form) if shipment else []
    else:
        repeats = await find_repeats(call, {0: _local_order(call, request, way)})
        found = repeats[0].fields if repeats else []
    return [f"order.{name}" for name in found] or ["order"]


def _claim_key(request: CreateUniorder, customer_id: int | None) -> str | None:
    if request.order_ref:
        return f"ref:{customer_id or 0}:{request.order_ref}"
    return f"rate:{request.rate_id}" if request.rate_id else None


def _new_row(call: Call, request: CreateUniorder, way: Way, customer_id: int | None) -> dict[str, Any]:
    return {
        "kind": way.kind,
        "status": UniorderStatus.CREATED.value,
        "form_digest": _digest(way),
        "order_ref": request.order_ref,
        "customer_id": customer_id,
        "carrier": way.offer.carrier if way.offer else LOCAL_CARRIER,
        "ship_date": ship_moment(way.form, call.now, call.time_zone).date(),
        "created_by": call.actor,
        "created_at": call.now,
        "updated_at": call.now,
    }


def _digest(way: Way) -> str:
    """Tells a repeat from another order: by what is sent and whether a carrier brings it, not by the rate."""
    document = way.form.model_dump_json(include=set(UniorderForm.model_fields))
    return hashlib.sha256(f"{way.kind}:{document}".encode()).hexdigest()


async def _order_locally(call: Call, request: CreateUniorder, way: Way, id: int) -> dict[str, Any]:
    (outcome,) = await create_orders(call, [_local_order(call, request, way)])
    if outcome.row is None:
        raise outcome.error or CONFLICT()
    return {"local_order_id": outcome.row.id}


def _local_order(call: Call, request: CreateUniorder, way: Way) -> CreateOrder:
    own = call.principal.account is Account.CUSTOMER
    return delivery_to_order(
        way.form,
        service=way.local_service,
        quote_id=way.local_quote_id,
        order_ref=request.order_ref,
        customer_id=None if own else request.customer_id,
    )


async def _buy_label(call: Call, request: CreateUniorder, way: Way, id: int) -> dict[str, Any]:
    terms = PurchaseTerms(
        order_ref=request.order_ref, label_format=request.label_format, customer_id=request.customer_id
    )
    # Why the order in the key: its shipment is its own, also where the same rate was bought before and given back.
    draft = Draft(terms=way.form, offer=way.offer, purchase=terms, rate_id=f"uniorder-{id}")
    submitted = await submit_shipment(call, draft)
    status = STATUS_OF_SHIPMENT[ShipmentState(submitted.row.state)]
    return {"shipment_id": submitted.row.id, "status": status.value}
