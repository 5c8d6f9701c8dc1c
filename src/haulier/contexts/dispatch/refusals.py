"""Orders that a bulk call did not change, and why: one shape for every family."""

from collections.abc import Mapping
from typing import Annotated

from haulier.kernel.answers import Answer, doc
from haulier.kernel.call import Call
from haulier.kernel.errors import Refusal


class OrderError(Answer):
    """One order that was not changed."""

    order_id: int
    message: Annotated[str, doc("Why, in the caller's language.")]
    code: Annotated[str, doc("Why, for programs.", "ORDER_ON_ROUTE")]


def told(call: Call, refused: Mapping[int, Refusal]) -> list[OrderError]:
    """The refusals in the caller's words, in the order in which they were found."""
    return [
        OrderError(
            order_id=order_id,
            message=call.say(refusal.problem.id, **refusal.params),
            code=refusal.problem.code,
        )
        for order_id, refusal in refused.items()
    ]
