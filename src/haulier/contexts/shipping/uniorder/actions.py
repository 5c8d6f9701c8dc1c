"""Writes of Uniorders for other families."""

import asyncio
import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.public import (
    ORDER_REF_TAKEN,
    SERVICE_UNKNOWN,
    cancel_visible_order,
    create_orders,
    find_repeats,
    quote_rates,
)
from haulier.contexts.orders.quotes.rules import DIFFERS, QUOTE_MISMATCH, RATE_NOT_AVAILABLE
from haulier.contexts.shipping.labels.actions.carrier_rates import (
    Rated,
    Wanted,
    own_customer_id,
    rate_service,
    rate_terms,
    require_customer,
    require_offer,
)
from haulier.contexts.shipping.labels.actions.purchases import wait_for_purchase
from haulier.contexts.shipping.labels.actions.submissions import (
    DIFFERS_FROM_ORDER,
    Draft,
    begin_void,
    claim_purchase,
    differences_from,
    is_same_shipment,
    submit_shipment,
)
from haulier.contexts.shipping.labels.contract import PurchaseTerms, ShipmentTerms
from haulier.contexts.shipping.labels.queries import ShipmentRow, get_shipment_of_business, get_visible_shipment
from haulier.contexts.shipping.labels.rules import (
    SHIPMENT_LIFE,
    SHIPMENT_REF_TAKEN,
    SHIPPING_RATE_EXPIRED,
    SHIPPING_RATE_NOT_AVAILABLE,
    Offer,
    ShipmentState,
    ShipmentStep,
    by_name,
    fault,
    ship_moment,
)
from haulier.contexts.shipping.uniorder import store
from haulier.contexts.shipping.uniorder.contract import (
    CreateRow,
    CreateUniorder,
    PurchaseUniorderLabel,
    RateRow,
    RateUniorder,
    UniorderForm,
)
from haulier.contexts.shipping.uniorder.queries import get_visible_uniorder
from haulier.contexts.shipping.uniorder.rules import (
    LOCAL_CARRIER,
    STATUS_OF_SHIPMENT,
    UNIORDER_HAS_NO_LABEL,
    LocalQuote,
    LocalRate,
    QuotedForm,
    UniorderStatus,
    delivery_to_order,
    delivery_to_quote,
    from_document,
    local_quote,
    read_rate_id,
    to_document,
)
from haulier.contexts.shipping.uniorder.store import UniorderRow
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import (
    CONFLICT,
    INVALID_REQUEST,
    NOT_FOUND,
    FieldError,
    OperationError,
    record_not_found,
)
from haulier.kernel.operations.rows import MalformedRow
from haulier.kernel.operations.stored_errors import error_document
from haulier.kernel.principal import Business

NOT_REQUESTED = Rated((), ())
NOT_STORED = 0


class StoredQuote(Struct, frozen=True):
    """Stored rates; without an id in a dry run."""

    id: int
    quoted: QuotedForm
    asked_at: datetime


class QuotedOption(Struct, frozen=True):
    """A rate by id, local or of a carrier, and its form."""

    form: UniorderForm
    local: LocalRate | None
    local_quote_id: str | None
    offer: Offer | None


async def fetch_carrier_rates(app: Application, business: Business | None, request: RateUniorder) -> Rated:
    """Return the rates of label carriers. Raises `NOT_FOUND` for an account.

    Call it outside a transaction: carriers take seconds. A missing sender is a remark: local delivery is quoted anyway.
    """
    if not request.quote_labels:
        return NOT_REQUESTED
    try:
        return await rate_terms(app, business, request, account_ids=request.account_ids, services=request.services)
    except OperationError as error:
        if error.error_type is not INVALID_REQUEST:
            raise
        return Rated((), (fault("NO_SENDER", "carrier.nobody_sends"),))


async def save_rates(call: Call, request: RateUniorder, rated: Rated, *, keep: bool = True) -> StoredQuote:
    """Quote local delivery and store it with the carriers' rates.

    Raises `NOT_FOUND` for an unknown customer.
    """
    if request.customer_id is not None:
        await require_customer(call.work, call.principal, request.customer_id)
    quoted = QuotedForm(local=await _quote_local(call, request), offers=by_name(rated.offers), remarks=rated.remarks)
    if not keep:
        return StoredQuote(NOT_STORED, quoted, call.now)
    values = {
        "customer_id": own_customer_id(call.principal, request.customer_id),
        "form": request.model_dump(mode="json", include=set(UniorderForm.model_fields)),
        "quoted": to_document(quoted),
        "created_at": call.now,
    }
    return StoredQuote(await store.insert_quote(call.work, values), quoted, call.now)


async def _quote_local(call: Call, form: UniorderForm) -> LocalQuote:
    try:
        return local_quote(await quote_rates(call, delivery_to_quote(form)))
    except OperationError as error:
        return LocalQuote(fault=error_document(error))


async def get_quoted_option(call: Call, rate_id: str) -> QuotedOption:
    """Return a rate by id.

    Raises `NOT_FOUND` for another customer's, `SHIPPING_RATE_EXPIRED`.
    """
    place = read_rate_id(rate_id)
    row = (await store.list_quote_rows(call.work, [place.quote_id])).get(place.quote_id) if place else None
    foreign = call.principal.account is Account.CUSTOMER and row is not None and row.customer_id != call.actor
    if place is None or row is None or foreign:
        raise record_not_found(rate_id=rate_id)
    quoted = from_document(row.quoted)
    rates = quoted.local.rates if place.local else quoted.offers
    if place.index >= len(rates):
        raise record_not_found(rate_id=rate_id)
    offer = None if place.local else quoted.offers[place.index]
    expires_at = offer.expires_at if offer else quoted.local.expires_at
    if expires_at is None or expires_at <= call.now:
        raise SHIPPING_RATE_EXPIRED()
    return QuotedOption(
        form=UniorderForm.model_validate(row.form),
        local=quoted.local.rates[place.index] if place.local else None,
        local_quote_id=quoted.local.quote_id,
        offer=offer,
    )


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


class ShippingMethod(Struct, frozen=True, kw_only=True):
    """A form and its service: a carrier's offer, or local delivery."""

    form: UniorderForm
    offer: Offer | None = None
    local_service: str | None = None
    local_quote_id: str | None = None
    rate_id: str | None = None

    @property
    def kind(self) -> str:
        """Return `label` or `local`."""
        return "label" if self.offer else "local"


class UniorderCreation(Struct, frozen=True):
    """A new or existing order."""

    row: store.UniorderRow
    existing: bool


async def rate_named_option(app: Application, business: Business | None, request: CreateUniorder) -> Wanted | None:
    """Return the current price of a requested label.

    None for a quoted rate, and for local delivery.
    """
    if request.order is None or request.kind == "local" or request.service is None:
        return None
    return await rate_service(app, business, request.order, request.account_id, request.service)


async def make_uniorder(call: Call, request: CreateUniorder, wanted: Wanted | None) -> UniorderCreation:
    """Create an order and claim the purchase of its label.

    A repeat returns the existing order. Raises the errors of creating a local order or buying a label, and
    `ORDER_REF_TAKEN` if the reference is another order's.
    """
    way = await _choose_option(call, request, wanted)
    customer_id = own_customer_id(call.principal, request.customer_id)
    if request.customer_id is not None:
        await require_customer(call.work, call.principal, request.customer_id)
    claim, values = _claim_key(request, customer_id), _new_uniorder_row(call, request, way, customer_id)
    row = await store.insert_uniorder(call.work, {**values, "claim_key": claim})
    if row is None:
        if claim is None:
            raise CONFLICT()
        if existing := await _existing(call, claim, request, way):
            return UniorderCreation(existing, existing=True)
        row = await store.insert_uniorder(call.work, {**values, "claim_key": claim})
        if row is None:
            raise CONFLICT()
    call.add_audit_subjects("uniorder", row.id)
    carried = await (_buy_label if way.offer else _order_locally)(call, request, way, row.id)
    await store.update_uniorder(call.work, row.id, carried)
    return UniorderCreation(await store.get_uniorder_row(call.work, row.id) or row, existing=False)


async def _choose_option(call: Call, request: CreateUniorder, wanted: Wanted | None) -> ShippingMethod:
    if request.rate_id is not None:
        quoted = await get_quoted_option(call, request.rate_id)
        return ShippingMethod(
            form=quoted.form,
            offer=quoted.offer,
            local_service=quoted.local.service if quoted.local else None,
            local_quote_id=quoted.local_quote_id if quoted.local else None,
            rate_id=request.rate_id,
        )
    assert request.order is not None  # the request's own validator requires it
    if wanted is None:
        return ShippingMethod(form=request.order, local_service=request.service)
    return ShippingMethod(form=request.order, offer=require_offer(call, wanted))


async def _existing(call: Call, claim: str, request: CreateUniorder, way: ShippingMethod) -> store.UniorderRow | None:
    """Return the order of a claim; None if its label was voided.

    Raises `ORDER_REF_TAKEN` if it differs from the request.
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


async def _differences(call: Call, row: store.UniorderRow, request: CreateUniorder, way: ShippingMethod) -> list[str]:
    """Return the fields that differ from the order with the same reference."""
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


def _new_uniorder_row(
    call: Call, request: CreateUniorder, way: ShippingMethod, customer_id: int | None
) -> dict[str, Any]:
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


def _digest(way: ShippingMethod) -> str:
    """Return a digest that identifies repeats by contents and kind, not by rate."""
    document = way.form.model_dump_json(include=set(UniorderForm.model_fields))
    return hashlib.sha256(f"{way.kind}:{document}".encode()).hexdigest()


async def _order_locally(call: Call, request: CreateUniorder, way: ShippingMethod, id: int) -> dict[str, Any]:
    (outcome,) = await create_orders(call, [_local_order(call, request, way)])
    if outcome.row is None:
        raise outcome.error or CONFLICT()
    return {"local_order_id": outcome.row.id}


def _local_order(call: Call, request: CreateUniorder, way: ShippingMethod) -> CreateOrder:
    own = call.principal.account is Account.CUSTOMER
    return delivery_to_order(
        way.form,
        service=way.local_service,
        quote_id=way.local_quote_id,
        order_ref=request.order_ref,
        customer_id=None if own else request.customer_id,
    )


async def _buy_label(call: Call, request: CreateUniorder, way: ShippingMethod, id: int) -> dict[str, Any]:
    terms = PurchaseTerms(
        order_ref=request.order_ref, label_format=request.label_format, customer_id=request.customer_id
    )
    # The order is in the key: its shipment is its own, even if the rate was bought before and voided.
    draft = Draft(terms=way.form, offer=way.offer, purchase=terms, rate_id=f"uniorder-{id}")
    submitted = await submit_shipment(call, draft)
    status = STATUS_OF_SHIPMENT[ShipmentState(submitted.row.state)]
    return {"shipment_id": submitted.row.id, "status": status.value}


class RowResult(Struct, frozen=True, kw_only=True):
    """Result of one form: its rates, its order, or the error."""

    rates: StoredQuote | None = None
    order: UniorderRow | None = None
    existing: bool = False
    error: OperationError | None = None

    @property
    def state(self) -> str:
        """`rated`, `created`, `existing` or `refused`."""
        if self.error is not None:
            return "refused"
        return "rated" if self.rates else "existing" if self.existing else "created"


def malformed_error(row: MalformedRow) -> OperationError:
    """Return the error of a row that cannot be parsed."""
    return INVALID_REQUEST.for_fields(*row.field_errors)


async def fetch_row_rates(
    app: Application, business: Business | None, rows: Sequence[RateRow]
) -> list[Rated | OperationError]:
    """Request rates for each form concurrently. Call it outside a transaction."""

    async def ask(row: RateRow) -> Rated | OperationError:
        if isinstance(row, MalformedRow):
            return malformed_error(row)
        try:
            return await fetch_carrier_rates(app, business, row)
        except OperationError as error:
            return error

    return await asyncio.gather(*map(ask, rows))


async def save_rows(
    call: Call, rows: Sequence[RateRow], said: Sequence[Rated | OperationError], *, keep: bool = True
) -> list[RowResult]:
    """Store the rates of each form."""
    results: list[RowResult] = []
    for row, rated in zip(rows, said, strict=True):
        if isinstance(rated, OperationError) or isinstance(row, MalformedRow):
            error = rated if isinstance(rated, OperationError) else CONFLICT()
            results.append(RowResult(error=error))
            continue
        try:
            results.append(RowResult(rates=await save_rates(call, row, rated, keep=keep)))
        except OperationError as error:
            results.append(RowResult(error=error))
    return results


async def rate_named_options(
    app: Application, business: Business | None, rows: Sequence[CreateRow]
) -> list[Wanted | OperationError | None]:
    """Rate the named labels of requests concurrently. Call it outside a transaction."""

    async def ask(row: CreateRow) -> Wanted | OperationError | None:
        if isinstance(row, MalformedRow):
            return malformed_error(row)
        try:
            return await rate_named_option(app, business, row)
        except OperationError as error:
            return error

    return await asyncio.gather(*map(ask, rows))


async def make_rows(
    call: Call, rows: Sequence[CreateRow], wanted: Sequence[Wanted | OperationError | None]
) -> list[RowResult]:
    """Create the order of each request, and claim the purchases of their labels."""
    return [await _make_row(call, row, each) for row, each in zip(rows, wanted, strict=True)]


async def _make_row(call: Call, row: CreateRow, wanted: Wanted | OperationError | None) -> RowResult:
    if isinstance(wanted, OperationError):
        return RowResult(error=wanted)
    assert isinstance(row, CreateUniorder)  # a malformed one has its error
    try:
        async with call.savepoint():
            made = await make_uniorder(call, row, wanted)
    except OperationError as error:
        return RowResult(error=error)
    except UniqueConflict:
        return RowResult(error=CONFLICT())
    return RowResult(order=made.row, existing=made.existing)


async def wait_for_purchases(app: Application, client_id: int, shipment_ids: Sequence[int]) -> None:
    """Buy claimed labels concurrently. Jobs settle what is still unknown."""
    await asyncio.gather(*(wait_for_purchase(app, client_id, id) for id in shipment_ids))


RATE, CREATE = "rate", "create"
UNIORDER_JOB = "shipping.uniorders"


class ProcessUniorders(Struct, frozen=True):
    """Job arguments: a batch to rate or create."""

    job_id: int


class BegunJob(Struct, frozen=True):
    """A job, and the number of forms rejected at once."""

    id: int
    refused: int


async def begin_job(
    call: Call, purpose: str, rows: Sequence[RateRow | CreateRow], references: Sequence[str | None]
) -> BegunJob:
    """Insert and enqueue a job. Malformed forms are rejected at once."""
    job = {
        "purpose": purpose,
        "total": len(rows),
        "created_by": call.actor,
        "account": call.principal.account.value,
        "created_at": call.now,
    }
    values = [_new_job_row(row, reference) for row, reference in zip(rows, references, strict=True)]
    id = await store.insert_job(call.work, job, values)
    call.add_audit_subjects("uniorder_job", id)
    await call.enqueue(UNIORDER_JOB, ProcessUniorders(id))
    return BegunJob(id, sum(isinstance(row, MalformedRow) for row in rows))


def _new_job_row(row: RateRow | CreateRow, reference: str | None) -> dict[str, object]:
    if isinstance(row, MalformedRow):
        fault = error_document(malformed_error(row))
        return {"reference": reference, "request": {}, "state": "refused", "fault": fault}
    return {"reference": reference, "request": row.model_dump(mode="json"), "state": "queued", "fault": None}


async def rate_for_purchase(call: Call, request: PurchaseUniorderLabel) -> tuple[ShipmentTerms, int | None, str] | None:
    """Return shipment, account and service to rate before a purchase.

    None for a quoted rate. Raises `NOT_FOUND`, `UNIORDER_HAS_NO_LABEL`, `SHIPMENT_STEP_REFUSED`.
    """
    shipment = await _label_of(call, request.order_id)
    if request.rate_id is not None:
        return None
    service = request.service or shipment.service
    if service is None:
        raise INVALID_REQUEST.for_fields(FieldError("service", "field.missing"))
    return ShipmentTerms.model_validate(shipment.terms), request.account_id or shipment.account_id, service


async def _label_of(call: Call, order_id: int, *, lock: bool = False) -> ShipmentRow:
    row = await get_visible_uniorder(call, order_id)
    if row.shipment_id is None:
        raise UNIORDER_HAS_NO_LABEL()
    shipment = await get_visible_shipment(call, row.shipment_id, lock=lock)
    SHIPMENT_LIFE.next_status_or_raise(ShipmentStep.BUY, ShipmentState(shipment.state))
    return shipment


async def purchase_label(call: Call, request: PurchaseUniorderLabel, wanted: Wanted | None) -> store.UniorderRow:
    """Claim the purchase of a label that was not bought.

    The carrier is queried for the earlier request first.
    """
    shipment = await _label_of(call, request.order_id, lock=True)
    offer = require_offer(call, wanted) if wanted else await _quoted_offer(call, request.rate_id or "", shipment)
    changes = {"label_format": request.label_format} if request.label_format else {}
    await claim_purchase(call, shipment, offer, **changes)
    call.add_audit_subjects("uniorder", request.order_id)
    status = UniorderStatus.LABEL_PURCHASE_PENDING.value
    values = {"status": status, "carrier": offer.carrier, "updated_at": call.now}
    await store.update_uniorder(call.work, request.order_id, values)
    return await get_visible_uniorder(call, request.order_id)


async def _quoted_offer(call: Call, rate_id: str, shipment: ShipmentRow) -> Offer:
    """Return the offer of a rate.

    Raises `QUOTE_MISMATCH` for another shipment, `INVALID_REQUEST` for local delivery.
    """
    way = await get_quoted_option(call, rate_id)
    if way.offer is None:
        raise INVALID_REQUEST.for_fields(FieldError("rate_id", "field.label_rate_needed"))
    if not is_same_shipment(shipment, way.form):
        raise QUOTE_MISMATCH.for_fields(FieldError("rate_id", DIFFERS))
    return way.offer


async def cancel_uniorder(call: Call, order_id: int, reason: str | None) -> store.UniorderRow:
    """Cancel an order and its delivery or label. A repeat changes nothing.

    Raises `NOT_FOUND`, `ORDER_STEP_REFUSED` and `SHIPMENT_STEP_REFUSED`.
    """
    row = await get_visible_uniorder(call, order_id)
    call.add_audit_subjects("uniorder", row.id)
    if row.status == UniorderStatus.CANCELLED:
        return row
    if row.shipment_id is not None:
        # Lock the shipment first: storing a carrier's answer locks it, and changes the order afterwards.
        shipment = await begin_void(call, await get_visible_shipment(call, row.shipment_id, lock=True))
        status = STATUS_OF_SHIPMENT[ShipmentState(shipment.state)]
        await store.update_uniorder(call.work, row.id, {"status": status.value, "updated_at": call.now})
    elif row.local_order_id is not None:
        await cancel_visible_order(call, row.local_order_id, reason)
        status = UniorderStatus.CANCELLED
        await store.update_uniorder(call.work, row.id, {"status": status.value, "updated_at": call.now})
    return await get_visible_uniorder(call, order_id)
