"""Check new orders by the rules of creating them, without creating any."""

from collections.abc import Sequence

from haulier.contexts.orders.delivery_orders.actions.book_addresses import fill_addresses
from haulier.contexts.orders.delivery_orders.actions.create import (
    CreateOutcome,
    plan_orders,
    repeat_outcome,
)
from haulier.contexts.orders.delivery_orders.actions.creation_facts import load_creation_facts
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.delivery_orders.queries.repeats import find_repeats
from haulier.contexts.orders.delivery_orders.rules.repeats import differing_fields
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError


async def check_orders(call: Call, requests: Sequence[CreateOrder]) -> list[OperationError | None]:
    """Return the error that `create_orders` would give each request now, in a constant number of statements.

    References of earlier requests count, as they do when all are created.
    """
    filled = await fill_addresses(call, requests)
    errors: list[OperationError | None] = [each if isinstance(each, OperationError) else None for each in filled]
    places = [place for place, each in enumerate(filled) if isinstance(each, CreateOrder)]
    good = [each for each in filled if isinstance(each, CreateOrder)]
    for place, outcome in zip(places, await _outcomes(call, good), strict=True):
        errors[place] = outcome.error
    return errors


async def _outcomes(call: Call, requests: Sequence[CreateOrder]) -> list[CreateOutcome]:
    facts = await load_creation_facts(call, requests)
    new = dict(enumerate(requests))
    known = await find_repeats(call, new)
    plan = plan_orders(call, new, known, facts, {}, {})
    repeated = {
        index: repeat_outcome(None, requests[index].order_ref, differing_fields(requests[index], requests[first]))
        for index, first in plan.repeats.items()
    }
    created = {index: CreateOutcome(None) for index in plan.rows}
    outcomes = created | repeated | plan.settled
    return [outcomes[index] for index in new]
