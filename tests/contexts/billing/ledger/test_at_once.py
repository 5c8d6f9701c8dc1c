"""Concurrent calls: keys count once, wallets are never overdrawn, no deadlocks."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

from tests.contexts.billing.ledger.makers import LABEL, cad, credit, faults, make_call, some_credit
from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry
from haulier.kernel.operations.errors import OperationError


async def outcomes(app: App, *work: Callable[[Call], Awaitable[Any]]) -> Counter[str]:
    """Return the outcomes of parallel calls, each in a transaction, with retries."""

    async def one(step: Callable[[Call], Awaitable[Any]]) -> str:
        while True:
            try:
                async with make_call(app) as call:
                    done = await step(call)
            except OperationError as error:
                return error.error_type.id
            except TransactionRetry:
                continue
            return "repeated" if getattr(done, "repeated", False) else "done"

    return Counter(await asyncio.gather(*map(one, work)))


async def test_concurrent_calls_with_one_key_count_once(app: App) -> None:
    customer = await some_credit(app, 1000)
    work = [lambda call: billing.charge(call, customer, cad(100), key="one", subject=LABEL)] * 20
    assert await outcomes(app, *work) == {"done": 1, "repeated": 19}
    assert await credit(app) == (900, 0, 900)


async def test_concurrent_first_postings_open_an_account_once(app: App) -> None:
    customer = app.ids["customer"]
    work = [lambda call, n=n: billing.top_up(call, customer, cad(10), key=f"t{n}") for n in range(12)]
    assert await outcomes(app, *work) == {"done": 12}
    assert await credit(app) == (120, 0, 120)
    assert await faults(app) == []


async def test_concurrent_operations_spend_a_wallet_once(app: App) -> None:
    customer = await some_credit(app, 1000)
    charges = [lambda call, n=n: billing.charge(call, customer, cad(100), key=f"c{n}", subject=LABEL) for n in range(8)]
    holds = [
        lambda call, n=n: billing.hold_credit(call, customer, cad(100), key=f"h{n}", subject=LABEL) for n in range(8)
    ]
    assert await outcomes(app, *charges, *holds) == {"done": 10, "credit_insufficient": 6}
    assert (await credit(app))[2] == 0
    assert await faults(app) == []


async def test_concurrent_operations_end_a_hold_once(app: App) -> None:
    customer = await some_credit(app, 1000)
    async with make_call(app) as call:
        hold = await billing.hold_credit(call, customer, cad(700), key="h", subject=LABEL)
    captures = [lambda call, n=n: billing.capture_hold(call, hold.id, cad(500), key=f"k{n}") for n in range(8)]
    assert await outcomes(app, *captures) == {"done": 1, "hold_ended": 7}
    assert await credit(app) == (500, 0, 500)
    assert await faults(app) == []


async def test_concurrent_refunds_never_exceed_the_charge(app: App) -> None:
    customer = await some_credit(app, 1000)
    async with make_call(app) as call:
        taken = await billing.charge(call, customer, cad(500), key="c", subject=LABEL)
    refunds = [lambda call, n=n: billing.refund(call, taken.transfer_id, cad(150), key=f"r{n}") for n in range(8)]
    assert await outcomes(app, *refunds) == {"done": 3, "refund_too_much": 5}
    assert await credit(app) == (950, 0, 950)
    assert await faults(app) == []
