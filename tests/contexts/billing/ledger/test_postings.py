"""Money moves between accounts once per key, within the balance."""

import pytest
from sqlalchemy import select, update
from tests.contexts.billing.ledger.makers import LABEL, cad, credit, faults, make_call, some_credit
from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.contexts.billing.ledger.store.tables import accounts, entries, transfers
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.money import Money


def refused(code: str) -> pytest.RaisesExc[OperationError]:
    return pytest.RaisesExc(OperationError, match=f"^{code}$")


async def test_a_charge_moves_money_from_the_wallet_to_the_revenue(app: App) -> None:
    customer = await some_credit(app, 1000)
    async with make_call(app) as call:
        posted = await billing.charge(call, customer, cad(300), key="label:17", subject=LABEL)
        found = await call.work.all(
            select(accounts.c.kind, entries.c.amount_minor, entries.c.balance_minor, entries.c.seq)
            .join(entries, entries.c.account_id == accounts.c.id)
            .where(entries.c.transfer_id == posted.transfer_id)
        )
    assert sorted(found) == [("revenue", 300, 300, 1), ("wallet", -300, 700, 2)]
    assert await credit(app) == (700, 0, 700)
    assert await faults(app) == []


async def test_a_repeated_posting_returns_the_same_transfer_and_a_different_one_is_refused(app: App) -> None:
    customer = await some_credit(app, 1000)
    async with make_call(app) as call:
        first = await billing.charge(call, customer, cad(300), key="label:17", subject=LABEL)
        again = await billing.charge(call, customer, cad(300), key="label:17", subject=LABEL)
        assert (again.transfer_id, first.repeated, again.repeated) == (first.transfer_id, False, True)
        with refused("ledger_key_reused"):
            await billing.charge(call, customer, cad(301), key="label:17", subject=LABEL)
    assert await credit(app) == (700, 0, 700)


async def test_an_overdraft_is_refused_and_writes_nothing(app: App) -> None:
    customer = await some_credit(app, 1000, limit=500)
    async with make_call(app) as call:
        with refused("credit_insufficient") as error:
            await billing.charge(call, customer, cad(1501), key="dear", subject=LABEL)
        assert error.value.params == {"amount": "15.01 CAD", "available": "15.00 CAD"}
        await billing.charge(call, customer, cad(1500), key="just", subject=LABEL)
        with refused("credit_insufficient"):
            await billing.charge(call, customer, Money(1, "USD"), key="abroad", subject=LABEL)
        found = await call.work.all(select(transfers.c.key).order_by(transfers.c.id))
    assert [row.key for row in found] == ["some:customer", "just"]
    assert await credit(app) == (-500, 0, 0)
    assert await faults(app) == []


async def test_a_hold_is_captured_in_part_and_the_rest_becomes_available(app: App) -> None:
    customer = await some_credit(app, 1000)
    async with make_call(app) as call:
        hold = await billing.hold_credit(call, customer, cad(800), key="label:17", subject=LABEL)
        again = await billing.hold_credit(call, customer, cad(800), key="label:17", subject=LABEL)
        assert again == hold
        with refused("ledger_key_reused"):
            await billing.hold_credit(call, customer, cad(700), key="label:17", subject=LABEL)
        with refused("credit_insufficient"):
            await billing.charge(call, customer, cad(201), key="other", subject=LABEL)
        with refused("hold_too_small"):
            await billing.capture_hold(call, hold.id, cad(801), key="taken")
        posted = await billing.capture_hold(call, hold.id, cad(600), key="taken")
        repeated = await billing.capture_hold(call, hold.id, cad(600), key="taken")
        assert (repeated.transfer_id, repeated.repeated) == (posted.transfer_id, True)
        for wrong in (billing.capture_hold(call, hold.id, key="more"), billing.void_hold(call, hold.id)):
            with refused("hold_ended"):
                await wrong
    assert await credit(app) == (400, 0, 400)
    assert await faults(app) == []


async def test_a_voided_or_expired_hold_is_released_once(app: App) -> None:
    customer = await some_credit(app, 1000)
    async with make_call(app) as call:
        voided = await billing.hold_credit(call, customer, cad(300), key="a", subject=LABEL)
        soon = app.clock.now.replace(hour=20)
        expiring = await billing.hold_credit(call, customer, cad(300), key="b", subject=LABEL, expires_at=soon)
        for _ in range(2):
            assert (await billing.void_hold(call, voided.id)).status == "voided"
    assert await credit(app) == (1000, 300, 700)
    app.clock.forward(hours=12)
    await app.work_off()
    assert await credit(app) == (1000, 0, 1000)
    async with make_call(app) as call:
        with refused("hold_ended"):
            await billing.capture_hold(call, expiring.id, key="late")
        assert (await billing.void_hold(call, expiring.id)).status == "expired"
    assert await faults(app) == []


async def test_refunds_never_exceed_the_charge(app: App) -> None:
    customer = await some_credit(app, 1000)
    async with make_call(app) as call:
        taken = (await billing.charge(call, customer, cad(500), key="label", subject=LABEL)).transfer_id
        part = await billing.refund(call, taken, cad(200), key="part", reason="Late")
        assert (await billing.refund(call, taken, cad(200), key="part", reason="Late")).transfer_id == part.transfer_id
        with refused("refund_too_much"):
            await billing.refund(call, taken, cad(301), key="more")
        rest = await billing.refund(call, taken, key="rest")
        again = await billing.refund(call, taken, key="rest")
        assert (again.transfer_id, again.repeated, again.minor) == (rest.transfer_id, True, 300)
        with refused("refund_too_much"):
            await billing.refund(call, taken, key="once more")
        with refused("not_found"):
            await billing.refund(call, part.transfer_id, key="of a refund")
    assert await credit(app) == (1000, 0, 1000)
    assert await faults(app) == []


async def test_expected_carrier_costs_are_owed_until_they_are_reversed(app: App) -> None:
    async with make_call(app) as call:
        cost = await billing.record_carrier_cost(call, cad(650), key="label:17:cost", subject=LABEL)
        await billing.refund(call, cost.transfer_id, cad(650), key="label:17:void")
        found = await call.work.all(select(accounts.c.kind, accounts.c.balance_minor, accounts.c.seq))
    assert sorted(found) == [("carrier_costs", 0, 2), ("carrier_payable", 0, 2)]


async def test_a_limit_cannot_fall_below_the_amount_in_use(app: App) -> None:
    customer = await some_credit(app, 0, limit=1000)
    async with make_call(app) as call:
        await billing.charge(call, customer, cad(300), key="a", subject=LABEL)
        await billing.hold_credit(call, customer, cad(200), key="b", subject=LABEL)
        with refused("credit_in_use") as error:
            await billing.set_credit_limit(call, customer, cad(499))
        assert error.value.params == {"used": "5.00 CAD"}
        await billing.set_credit_limit(call, customer, cad(500))
    assert await credit(app) == (-300, 200, 0)


async def test_an_adjustment_can_add_and_subtract(app: App) -> None:
    customer = await some_credit(app, 1000)
    async with make_call(app) as call:
        await billing.adjust(call, customer, cad(50), key="sorry", reason="Goodwill")
        await billing.adjust(call, customer, cad(-1050), key="wrong", reason="Typed twice")
        with refused("credit_insufficient"):
            await billing.adjust(call, customer, cad(-1), key="more", reason="Typed twice")
    assert await credit(app) == (0, 0, 0)
    assert await faults(app) == []


async def test_the_ledger_check_reports_each_broken_rule(app: App) -> None:
    customer = await some_credit(app, 1000)
    async with make_call(app) as call:
        await billing.hold_credit(call, customer, cad(100), key="a", subject=LABEL)
        taken = await billing.charge(call, customer, cad(500), key="b", subject=LABEL)
        await billing.refund(call, taken.transfer_id, cad(400), key="c")
        wallet = accounts.c.kind == "wallet"
        await call.work.run(update(accounts).where(wallet).values(balance_minor=1, held_minor=0, seq=9))
        await call.work.run(
            update(transfers).where(transfers.c.key == "b").values(amount_minor=300, given_back_minor=300)
        )
        await call.work.run(update(entries).where(entries.c.seq == 3).values(amount_minor=7))
    assert {line.split(":")[0] for line in await faults(app)} == {
        "balances_add_up_to_zero",
        "transfers_have_two_sides",
        "entries_say_what_their_transfer_says",
        "entries_are_numbered_and_add_up",
        "balances_are_the_sum_of_entries",
        "held_is_the_sum_of_open_holds",
        "no_more_given_back_than_taken",
    }
