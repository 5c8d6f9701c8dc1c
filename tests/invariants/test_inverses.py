"""Steps that end a stop, order or earning name the operation that reverts them.

Final steps give a reason.
"""

from collections.abc import Collection, Mapping
from typing import Any

import pytest
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import make_order, make_started_route

from haulier.app import registry
from haulier.contexts.orders.delivery_orders.rules.lifecycle import CLOSED_STATUSES, ORDER_INVERSES, ORDER_LIFE
from haulier.contexts.routes.stops.rules import OPEN, STOP_INVERSES, STOP_LIFE, StopStatus
from haulier.contexts.settlements.cash_on_delivery.rules import COD_INVERSES, CodEntryKind
from haulier.contexts.settlements.pay.rules import EARNING_INVERSES, EarningKind
from haulier.kernel.operations.enums import Effect
from haulier.kernel.values.inverses import Final, Inverse, RevertedBy
from haulier.kernel.values.state_machine import StateMachine

MACHINES: dict[str, tuple[StateMachine[Any, Any], Collection[Any], Mapping[Any, Inverse]]] = {
    "order": (ORDER_LIFE, CLOSED_STATUSES, ORDER_INVERSES),
    "stop": (STOP_LIFE, set(StopStatus) - OPEN, STOP_INVERSES),
}
LEDGERS: dict[str, tuple[Any, Mapping[Any, Inverse]]] = {
    "pay": (EarningKind, EARNING_INVERSES),
    "cash on delivery": (CodEntryKind, COD_INVERSES),
}
DECLARED = [
    *(each for _, _, inverses in MACHINES.values() for each in inverses.values()),
    *(each for _, inverses in LEDGERS.values() for each in inverses.values()),
]
REPORTS: dict[str, tuple[str, dict[str, str]]] = {
    "deliver": ("deliver_stop", {}),
    "fail": ("fail_stop", {"reason": "recipient_absent", "outcome": "retry"}),
    "reject": ("fail_stop", {"reason": "refused", "outcome": "return"}),
}
"""Operations by which a driver reports a reversible step."""


@for_every("kind", list(MACHINES))
def test_each_step_that_ends_a_record_has_an_inverse_or_a_reason(kind: str) -> None:
    machine, closed, inverses = MACHINES[kind]
    ending = {
        action
        for action, moves in machine.transitions.items()
        if any(end in closed and end is not start for start, end in moves.items())
    }
    assert ending == inverses.keys()


@for_every("kind", list(LEDGERS))
def test_each_kind_of_entry_has_an_inverse_or_a_reason(kind: str) -> None:
    kinds, inverses = LEDGERS[kind]
    assert set(kinds) == inverses.keys()


def test_an_inverse_is_an_existing_write_and_a_reason_is_a_sentence() -> None:
    for inverse in DECLARED:
        if isinstance(inverse, RevertedBy):
            assert registry()[inverse.operation].effect is Effect.WRITE
        else:
            assert isinstance(inverse, Final)
            assert inverse.reason.endswith(".")


@for_every("kind", list(MACHINES))
def test_an_inverse_is_allowed_in_the_state_after_its_step(kind: str) -> None:
    machine, _, inverses = MACHINES[kind]
    for action, inverse in inverses.items():
        if isinstance(inverse, RevertedBy):
            back = next(each for each in machine.transitions if each.value == inverse.step)
            ends = set(machine.transitions[action].values())
            assert all(machine.next_status(back, end) is not None for end in ends), action


def test_each_reversible_step_is_tested() -> None:
    reverted = {
        action.value
        for _, _, inverses in MACHINES.values()
        for action, inverse in inverses.items()
        if isinstance(inverse, RevertedBy)
    }
    assert reverted == REPORTS.keys()


@pytest.mark.parametrize("step", REPORTS)
async def test_the_inverse_reverts_the_step(app: App, step: str) -> None:
    order_id = await make_order(app)
    route = await make_started_route(app, [order_id])
    at = {"route_id": route.id, "stop_id": route.stops[0].id}
    report, words = REPORTS[step]
    await app.answer("driver", report, {**at, **words})
    inverse = next(each for action, each in ORDER_INVERSES.items() if action.value == step)
    assert isinstance(inverse, RevertedBy)
    needed = {"order_id": order_id, "reason": "Wrong stop"} if inverse.operation == "undo_delivery" else at
    await app.answer("admin", inverse.operation, needed)
    order = (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order
    stop = (await app.answer("admin", "get_route_detail", {"route_id": route.id})).route.stops[0]
    assert (order.status, stop.status) == ("OUT_FOR_DELIVERY", "planned")
