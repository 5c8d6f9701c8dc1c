"""Outcomes of a batch, as answers show them and as its rows keep them."""

from collections.abc import Iterable
from typing import Any

from haulier.contexts.orders.batches import store
from haulier.contexts.orders.batches.contract import OrderBatchError, OrderBatchOutcome, OrderFieldError, OrderRow
from haulier.contexts.orders.delivery_orders.actions.create import CreateOutcome
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.delivery_orders.rules.warnings import WarningFacts
from haulier.contexts.orders.delivery_orders.serializers import order_warnings
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.operations.rows import MalformedRow
from haulier.kernel.operations.stored_errors import error_document, render_stored_error
from haulier.kernel.operations.text_safety import replace_unstorable

MAX_REFERENCE = 100


def outcome_state(result: CreateOutcome) -> str:
    """The state that a row of a batch ends in."""
    return "refused" if result.error else "existing" if result.existing else "created"


def row_reference(row: OrderRow) -> str | None:
    """Return the reference of a batch row, as far as a malformed row has one."""
    if not isinstance(row, MalformedRow):
        return row.order_ref
    ref = row.values.get("order_ref") if isinstance(row.values, dict) else None
    return replace_unstorable(ref)[:MAX_REFERENCE] if isinstance(ref, str) else None


def order_outcome(
    call: Call, index: int, row: OrderRow, result: CreateOutcome, facts: WarningFacts
) -> OrderBatchOutcome:
    """The outcome of an order that was tried just now."""
    made = result.request or row
    return OrderBatchOutcome(
        index=index,
        order_ref=row_reference(row),
        state=outcome_state(result),
        order_id=result.row.id if result.row else None,
        tracking_number=result.row.tracking_number if result.row else None,
        warnings=order_warnings(call, made, facts) if isinstance(made, CreateOrder) and _is_new(result) else [],
        **_error_fields(call, error_document(result.error) if result.error else None),
    )


def _is_new(result: CreateOutcome) -> bool:
    return result.row is not None and not result.existing


def order_outcome_from_row(call: Call, row: store.BatchOutcomeRow) -> OrderBatchOutcome:
    """The outcome that a row of a batch holds."""
    return record(
        OrderBatchOutcome,
        row,
        index=row.number,
        order_ref=row.request.get("order_ref"),
        **_error_fields(call, row.fault),
    )


def _error_fields(call: Call, document: dict[str, Any] | None) -> dict[str, Any]:
    if document is None:
        return {"code": None, "message": None}
    error = render_stored_error(document, call.app.catalogues, call.language)
    return {
        "code": error.code,
        "message": error.message,
        "errors": [OrderFieldError(**field) for field in error.fields],
    }


def order_batch_errors(outcomes: Iterable[OrderBatchOutcome]) -> list[OrderBatchError]:
    """The outcomes that are refusals, each as one sentence."""
    return [
        OrderBatchError(
            index=outcome.index,
            order_ref=outcome.order_ref,
            code=outcome.code,
            message=" ".join(f"{error.field}: {error.message}".removeprefix(": ") for error in outcome.errors)
            or outcome.message
            or "",
        )
        for outcome in outcomes
        if outcome.code
    ]
