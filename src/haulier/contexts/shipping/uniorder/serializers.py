"""Answers about Uniorders from rows."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import UNSET

from haulier.contexts.orders.batches.contract import OrderBatchError, OrderFieldError
from haulier.contexts.shipping.labels.contract import CarrierRemark
from haulier.contexts.shipping.labels.rules import (
    SHIPMENT_LIFE,
    Offer,
    ShipmentState,
    ShipmentStep,
    offer_from_document,
)
from haulier.contexts.shipping.labels.serializers import (
    carrier_price_minor,
    is_office,
    offer_charges,
    remark_records,
    shipment_remarks,
)
from haulier.contexts.shipping.uniorder.actions import RowResult
from haulier.contexts.shipping.uniorder.contract import (
    CreateRow,
    RateRow,
    RateUniorder,
    UniorderBatchResult,
    UniorderCharge,
    UniorderDetail,
    UniorderJobRecord,
    UniorderOutcome,
    UniorderRate,
    UniorderRates,
    UniorderRecord,
    family_of_kind,
)
from haulier.contexts.shipping.uniorder.queries import CarriedUniorder, carry
from haulier.contexts.shipping.uniorder.rules import (
    LOCAL_CARRIER,
    STATUS_OF_ORDER,
    STATUS_OF_SHIPMENT,
    LocalQuote,
    QuotedForm,
    RatePlace,
    UniorderStatus,
    from_document,
    make_rate_id,
)
from haulier.contexts.shipping.uniorder.store import JobItemRow, UniorderJobRow, list_quote_rows, list_uniorders_by_id
from haulier.kernel.call import Call
from haulier.kernel.operations.rows import MalformedRow
from haulier.kernel.operations.stored_errors import error_document, render_stored_error
from haulier.kernel.operations.text_safety import replace_unstorable
from haulier.kernel.values.batch_states import batch_state


def uniorder_rates(call: Call, quote_id: int, quoted: QuotedForm, asked_at: datetime) -> UniorderRates:
    """Return all rates of a form. Hidden prices come last, by name."""
    rates = [*_local_rates(call, quote_id, quoted.local), *_label_rates(call, quote_id, quoted)]
    return UniorderRates(
        quote_id=quote_id,
        expires_at=call.local_time(quoted.expires_at or asked_at),
        rates=sorted(rates, key=lambda rate: _place(call, rate)),
        messages=[*_local_messages(call, quoted.local), *remark_records(call, quoted.remarks)],
    )


def _place(call: Call, rate: UniorderRate) -> tuple[bool, bool, str, int, str, str]:
    """Return the sort key: price within a currency, local delivery first."""
    if call.principal.hides(rate.price_family):
        return True, False, "", 0, rate.service_name.casefold(), rate.rate_id
    currency, price = rate.currency or "", rate.shipping_price or 0
    return False, currency != call.business.currency, currency, price, rate.service_name.casefold(), rate.rate_id


def _local_rates(call: Call, quote_id: int, quote: LocalQuote) -> Iterator[UniorderRate]:
    if quote.expires_at is None:
        return
    for index, rate in enumerate(quote.rates):
        yield UniorderRate(
            rate_id=make_rate_id(RatePlace(quote_id, True, index)),
            kind="local",
            price_family=family_of_kind("local"),
            carrier=LOCAL_CARRIER,
            account_id=None,
            service=rate.service,
            service_name=rate.service_name,
            shipping_price=rate.total,
            currency=rate.currency,
            price_details=local_charges(rate.lines, rate.tax),
            transit_days=None,
            deliver_by=None,
            guaranteed=False,
            expires_at=call.local_time(quote.expires_at),
        )


def local_charges(lines: tuple[tuple[str, int], ...], tax: int) -> list[UniorderCharge]:
    """Return the parts of the price of a local delivery."""
    parts = [UniorderCharge(code=code, name=None, amount=amount) for code, amount in lines]
    return [*parts, UniorderCharge(code="tax", name=None, amount=tax)] if tax else parts


def label_charges(offer: Offer, *, office: bool) -> list[UniorderCharge]:
    """Return the parts of the price of a label."""
    return [
        UniorderCharge(code=part.code, name=part.name, amount=part.amount or 0)
        for part in offer_charges(offer, office=office)
    ]


def _label_rates(call: Call, quote_id: int, quoted: QuotedForm) -> Iterator[UniorderRate]:
    office = is_office(call.principal)
    for index, offer in enumerate(quoted.offers):
        yield UniorderRate(
            rate_id=make_rate_id(RatePlace(quote_id, False, index)),
            kind="label",
            price_family=family_of_kind("label"),
            carrier=offer.carrier,
            account_id=offer.account_id,
            service=offer.rate.service,
            service_name=offer.rate.name,
            shipping_price=offer.price.minor,
            currency=offer.price.currency,
            price_details=label_charges(offer, office=office),
            carrier_price_minor=carrier_price_minor(offer, office=office),
            transit_days=offer.rate.transit_days,
            deliver_by=call.local_time(offer.rate.deliver_by),
            guaranteed=offer.rate.guaranteed,
            expires_at=call.local_time(offer.expires_at),
        )


def _local_messages(call: Call, quote: LocalQuote) -> list[CarrierRemark]:
    if quote.fault is None:
        return []
    said = render_stored_error(quote.fault, call.app.catalogues, call.language)
    return [CarrierRemark(carrier=LOCAL_CARRIER, severity="error", code=said.code, text=said.message)]


def uniorder_record(call: Call, order: CarriedUniorder) -> UniorderRecord:
    """Return an order in a list."""
    return UniorderRecord(**_summary(call, order))


def uniorder_detail(call: Call, order: CarriedUniorder) -> UniorderDetail:
    """Return an order in full."""
    return UniorderDetail(**_summary(call, order), **_details(call, order))


def status_of(order: CarriedUniorder) -> str:
    """Return the status of an order from its carrier."""
    if order.delivery is not None:
        return STATUS_OF_ORDER[order.delivery.status].value
    if order.shipment is not None:
        return STATUS_OF_SHIPMENT[ShipmentState(order.shipment.row.state)].value
    return order.row.status


def tracking_numbers(order: CarriedUniorder) -> list[str]:
    """Return the number of each parcel."""
    carried = order.delivery.piece_numbers if order.delivery else order.shipment.numbers if order.shipment else ()
    return list(carried)


def _summary(call: Call, order: CarriedUniorder) -> dict[str, Any]:
    row, numbers = order.row, tracking_numbers(order)
    return {
        "id": row.id,
        "kind": row.kind,
        "price_family": family_of_kind(row.kind),
        "status": status_of(order),
        "order_ref": row.order_ref,
        "customer_id": row.customer_id,
        "local_order_id": row.local_order_id,
        "shipment_id": row.shipment_id,
        "carrier": row.carrier,
        "tracking_number": numbers[0] if numbers else None,
        "tracking_numbers": numbers,
        "ship_date": row.ship_date,
        "created_at": call.local_time(row.created_at),
        "updated_at": call.local_time(row.updated_at),
        **_carried(order),
    }


def _carried(order: CarriedUniorder) -> dict[str, Any]:
    if order.delivery is not None:
        price = order.delivery.price
        return {
            "account_id": None,
            "service": price.get("service"),
            "service_name": None,
            "consignee_name": order.delivery.name,
            "consignee_city": order.delivery.city,
            "shipping_price": price.get("total", UNSET),
            "currency": price.get("currency", UNSET),
        }
    if order.shipment is None:
        return dict.fromkeys(("account_id", "service", "service_name", "consignee_name", "consignee_city"))
    row = order.shipment.row
    return {
        "account_id": row.account_id,
        "carrier": row.carrier or order.row.carrier,
        "service": row.service,
        "service_name": row.service_name,
        "consignee_name": row.consignee_name,
        "consignee_city": row.terms["consignee"]["city"],
        "shipping_price": row.price_minor,
        "currency": row.currency,
    }


def _details(call: Call, order: CarriedUniorder) -> dict[str, Any]:
    if order.delivery is not None:
        price = order.delivery.price
        lines = tuple((line["code"], line["amount"]) for line in price.get("lines", ()))
        return {
            "carrier_status": order.delivery.status.name,
            "price_details": local_charges(lines, price.get("tax", 0)),
            "messages": [],
            "can_be_cancelled": order.delivery.can_be_cancelled,
            "can_purchase_label": False,
        }
    if order.shipment is None:
        return {"carrier_status": None, "messages": [], "can_be_cancelled": False, "can_purchase_label": False}
    row, office = order.shipment.row, is_office(call.principal)
    steps = SHIPMENT_LIFE.actions(ShipmentState(row.state))
    return {
        "carrier_status": row.state,
        "price_details": label_charges(offer_from_document(row.offer), office=office) if row.offer else [],
        "carrier_price_minor": row.cost_minor if office else UNSET,
        "messages": shipment_remarks(call, row),
        "can_be_cancelled": ShipmentStep.VOID in steps,
        "can_purchase_label": ShipmentStep.BUY in steps,
    }


MAX_REFERENCE = 100
SUCCEEDED = ("rated", "created", "existing")


def row_reference(row: RateRow | CreateRow) -> str | None:
    """Return the caller's reference of a form, also of a malformed one if readable."""
    if isinstance(row, MalformedRow):
        values = row.values if isinstance(row.values, dict) else {}
        ref = values.get("order_ref") or values.get("reference")
        return replace_unstorable(ref)[:MAX_REFERENCE] if isinstance(ref, str) else None
    return row.reference if isinstance(row, RateUniorder) else row.order_ref


async def row_outcomes(
    call: Call, rows: Sequence[RateRow | CreateRow], results: Sequence[RowResult]
) -> list[UniorderOutcome]:
    """Return the outcomes of processed forms."""
    records = await uniorder_records(call, [result.order.id for result in results if result.order])
    return [
        UniorderOutcome(
            index=index,
            reference=row_reference(row),
            state=result.state,
            order=records.get(result.order.id) if result.order else None,
            rated=uniorder_rates(call, result.rates.id, result.rates.quoted, result.rates.asked_at)
            if result.rates
            else None,
            **_fault_fields(call, error_document(result.error) if result.error else None),
        )
        for index, (row, result) in enumerate(zip(rows, results, strict=True))
    ]


async def uniorder_records(call: Call, ids: Sequence[int]) -> dict[int, UniorderRecord]:
    """Return orders by id, with a constant number of statements."""
    rows = await list_uniorders_by_id(call.work, ids)
    return {order.row.id: uniorder_record(call, order) for order in await carry(call, list(rows.values()))}


async def stored_outcomes(call: Call, rows: Sequence[JobItemRow]) -> list[UniorderOutcome]:
    """Return the outcomes of a job's rows."""
    records = await uniorder_records(call, [row.uniorder_id for row in rows if row.uniorder_id])
    quotes = await list_quote_rows(call.work, [row.quote_id for row in rows if row.quote_id])
    return [
        UniorderOutcome(
            index=row.number,
            reference=row.reference,
            state=row.state,
            order=records.get(row.uniorder_id or 0),
            rated=uniorder_rates(call, quote.id, from_document(quote.quoted), quote.created_at)
            if (quote := quotes.get(row.quote_id or 0))
            else None,
            **_fault_fields(call, row.fault),
        )
        for row in rows
    ]


def _fault_fields(call: Call, document: dict[str, Any] | None) -> dict[str, Any]:
    if document is None:
        return {}
    error = render_stored_error(document, call.app.catalogues, call.language)
    return {
        "code": error.code,
        "message": error.message,
        "errors": [OrderFieldError(**field) for field in error.fields],
    }


def batch_result(outcomes: list[UniorderOutcome]) -> UniorderBatchResult:
    """Return outcomes with their counts."""
    count = Counter(outcome.state for outcome in outcomes)
    done = sum(count[state] for state in SUCCEEDED)
    return UniorderBatchResult(
        result=done > 0,
        done=done,
        failed=count["refused"],
        without_label=count_without_label(outcomes),
        outcomes=outcomes,
        errors=outcome_errors(outcomes),
    )


def count_without_label(outcomes: Sequence[UniorderOutcome]) -> int:
    """Return orders that stay without a label."""
    failed = UniorderStatus.LABEL_PURCHASE_FAILED
    return sum(outcome.order is not None and outcome.order.status == failed for outcome in outcomes)


def outcome_errors(outcomes: Sequence[UniorderOutcome]) -> list[OrderBatchError]:
    """Return the rejected outcomes, each as one sentence."""
    return [
        OrderBatchError(
            index=outcome.index,
            order_ref=outcome.reference,
            code=outcome.code,
            message=" ".join(f"{field.field}: {field.message}".removeprefix(": ") for field in outcome.errors)
            or outcome.message
            or "",
        )
        for outcome in outcomes
        if outcome.code
    ]


def job_progress(call: Call, job: UniorderJobRow, counts: Mapping[str, int]) -> dict[str, Any]:
    """Return the progress of a job from its rows by state."""
    succeeded, queued = sum(counts.get(state, 0) for state in SUCCEEDED), counts.get("queued", 0)
    refused = counts.get("refused", 0)
    return {
        "purpose": job.purpose,
        # Without the rejected: malformed forms are rejected before it starts.
        "state": batch_state(job.total, succeeded or queued == 0, refused, job.finished_at, job.cancelled_at),
        "total": job.total,
        "done": job.total - queued,
        "succeeded": succeeded,
        "failed": refused,
        "created_at": call.local_time(job.created_at),
        "finished_at": call.local_time(job.finished_at),
    }


def job_record(call: Call, job: UniorderJobRow, counts: Mapping[str, int]) -> UniorderJobRecord:
    """Return a job in a list."""
    return UniorderJobRecord(id=job.id, **job_progress(call, job, counts))
