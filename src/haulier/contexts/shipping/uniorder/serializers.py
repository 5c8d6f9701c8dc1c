"""What came of many forms, as answers show it."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from haulier.contexts.orders.batches.contract import OrderBatchError, OrderFieldError
from haulier.contexts.shipping.uniorder.actions.batches import RowResult
from haulier.contexts.shipping.uniorder.contract.batches import (
    CreateRow,
    RateRow,
    UniorderBatchResult,
    UniorderOutcome,
)
from haulier.contexts.shipping.uniorder.contract.orders import UniorderRecord
from haulier.contexts.shipping.uniorder.contract.rates import RateUniorder
from haulier.contexts.shipping.uniorder.queries import carry
from haulier.contexts.shipping.uniorder.rules.quoted import from_document
from haulier.contexts.shipping.uniorder.rules.states import UniorderStatus
from haulier.contexts.shipping.uniorder.serializers.orders import uniorder_record
from haulier.contexts.shipping.uniorder.serializers.rates import uniorder_rates
from haulier.contexts.shipping.uniorder.store.jobs import JobItemRow
from haulier.contexts.shipping.uniorder.store.quotes import list_quote_rows
from haulier.contexts.shipping.uniorder.store.uniorders import list_uniorders_by_id
from haulier.kernel.call import Call
from haulier.kernel.operations.rows import MalformedRow
from haulier.kernel.operations.stored_errors import error_document, render_stored_error
from haulier.kernel.operations.text_safety import replace_unstorable

MAX_REFERENCE = 100
SUCCEEDED = ("rated", "created", "existing")


def row_reference(row: RateRow | CreateRow) -> str | None:
    """The caller's reference of a form; of a malformed one, as far as it can be read."""
    if isinstance(row, MalformedRow):
        values = row.values if isinstance(row.values, dict) else {}
        ref = values.get("order_ref") or values.get("reference")
        return replace_unstorable(ref)[:MAX_REFERENCE] if isinstance(ref, str) else None
    return row.reference if isinstance(row, RateUniorder) else row.order_ref


async def row_outcomes(
    call: Call, rows: Sequence[RateRow | CreateRow], results: Sequence[RowResult]
) -> list[UniorderOutcome]:
    """What came of forms that were tried just now."""
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
    """Orders by id. A number of statements that does not depend on how many."""
    rows = await list_uniorders_by_id(call.work, ids)
    return {order.row.id: uniorder_record(call, order) for order in await carry(call, list(rows.values()))}


async def stored_outcomes(call: Call, rows: Sequence[JobItemRow]) -> list[UniorderOutcome]:
    """What the rows of a job hold."""
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
    """The outcomes, and how many went how."""
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
    """Orders that stay without a label."""
    failed = UniorderStatus.LABEL_PURCHASE_FAILED
    return sum(outcome.order is not None and outcome.order.status == failed for outcome in outcomes)


def outcome_errors(outcomes: Sequence[UniorderOutcome]) -> list[OrderBatchError]:
    """The outcomes that are refusals, each as one sentence."""
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
