"""Assignments, and orders that a bulk call did not change, as answers show them."""

from collections.abc import Mapping

from haulier.contexts.routes.assignments.contract import OrderError
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError


def serialize_order_errors(call: Call, refused: Mapping[int, OperationError]) -> list[OrderError]:
    """The refusals in the caller's words, in the order in which they were found."""
    return [
        OrderError(
            order_id=order_id,
            message=call.translate(refusal.error_type.id, **refusal.params),
            code=refusal.error_type.code,
        )
        for order_id, refusal in refused.items()
    ]
