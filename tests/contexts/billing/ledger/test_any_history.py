"""Random histories of the ledger match simple arithmetic, on both databases."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule
from tests.contexts.billing.ledger.makers import LABEL, cad, credit, faults, make_call
from tests.support import databases
from tests.support.app_machines import AppMachine, machine

from haulier.contexts.billing import public as billing
from haulier.kernel.operations.errors import OperationError

amounts = st.integers(1, 1000)
keys = st.integers(0, 8)
which = st.integers(0, 20)
CUSTOMERS: tuple[str, ...] = ("customer", "customer2")
people = st.sampled_from(CUSTOMERS)


class Model:
    """The arithmetic: balance, debt and holds of each customer, and used keys."""

    def __init__(self) -> None:
        self.balance: dict[str, int] = dict.fromkeys(CUSTOMERS, 0)
        self.limit: dict[str, int] = dict.fromkeys(CUSTOMERS, 0)
        self.holds: dict[int, tuple[str, int, str]] = {}
        self.charges: dict[int, tuple[str, int]] = {}
        self.keys: dict[str, tuple[Any, ...]] = {}

    def held(self, who: str) -> int:
        return sum(amount for owner, amount, state in self.holds.values() if owner == who and state == "held")

    def available(self, who: str) -> int:
        return self.balance[who] + self.limit[who] - self.held(who)


class ALedger(AppMachine):
    """Two wallets over a real database."""

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()

    def expect(self, key: str, body: tuple[Any, ...], allowed: bool, fault: str) -> str | None:
        """Return the expected result of a posting: a code, `repeated`, or None if new."""
        if key in self.model.keys:
            return "repeated" if self.model.keys[key] == body else "ledger_key_reused"
        if allowed:
            self.model.keys[key] = body
            return None
        return fault

    def do(self, work: Any) -> tuple[str | None, Any]:
        async def done() -> tuple[str | None, Any]:
            async with make_call(self.app) as call:
                try:
                    return None, await work(call, {name: self.app.ids[name] for name in CUSTOMERS})
                except OperationError as error:
                    return error.error_type.id, None

        return self.wait(done())

    def post(self, expected: str | None, work: Any) -> Any:
        fault, posted = self.do(work)
        assert fault == (None if expected == "repeated" else expected)
        if posted is not None:
            assert posted.repeated == (expected == "repeated")
        return posted if expected is None else None

    @rule(who=people, amount=amounts, key=keys)
    def top_up(self, who: str, amount: int, key: int) -> None:
        name = f"t{key}"
        expected = self.expect(name, ("top up", who, amount), True, "")
        if self.post(expected, lambda call, ids: billing.top_up(call, ids[who], cad(amount), key=name)):
            self.model.balance[who] += amount

    @rule(who=people, amount=amounts, key=keys)
    def charge(self, who: str, amount: int, key: int) -> None:
        name, enough = f"c{key}", self.model.available(who) >= amount
        expected = self.expect(name, ("charge", who, amount), enough, "credit_insufficient")
        work = lambda call, ids: billing.charge(call, ids[who], cad(amount), key=name, subject=LABEL)  # noqa: E731
        if posted := self.post(expected, work):
            self.model.balance[who] -= amount
            self.model.charges[posted.transfer_id] = (who, amount)

    @rule(n=which, amount=amounts, key=keys)
    def refund(self, n: int, amount: int, key: int) -> None:
        if not self.model.charges:
            return
        transfer = sorted(self.model.charges)[n % len(self.model.charges)]
        name, (who, left) = f"r{key}", self.model.charges[transfer]
        expected = self.expect(name, ("refund", transfer, amount), amount <= left, "refund_too_much")
        if self.post(expected, lambda call, ids: billing.refund(call, transfer, cad(amount), key=name)):
            self.model.balance[who] += amount
            self.model.charges[transfer] = (who, left - amount)

    @rule(who=people, amount=amounts, key=keys)
    def hold(self, who: str, amount: int, key: int) -> None:
        name, enough = f"h{key}", self.model.available(who) >= amount
        expected = self.expect(name, ("hold", who, amount), enough, "credit_insufficient")
        fault, hold = self.do(
            lambda call, ids: billing.hold_credit(call, ids[who], cad(amount), key=name, subject=LABEL)
        )
        assert fault == (None if expected == "repeated" else expected)
        if hold and expected is None:
            self.model.holds[hold.id] = (who, amount, "held")

    @rule(n=which, amount=amounts, key=keys)
    def capture(self, n: int, amount: int, key: int) -> None:
        if not self.model.holds:
            return
        hold = sorted(self.model.holds)[n % len(self.model.holds)]
        name, (who, held, state) = f"k{key}", self.model.holds[hold]
        if amount > held:
            expected: str | None = "hold_too_small"
        else:
            expected = self.expect(name, ("capture", hold, amount), state == "held", "hold_ended")
        if posted := self.post(expected, lambda call, ids: billing.capture_hold(call, hold, cad(amount), key=name)):
            self.model.balance[who] -= amount
            self.model.holds[hold] = (who, held, "captured")
            self.model.charges[posted.transfer_id] = (who, amount)

    @rule(n=which)
    def void(self, n: int) -> None:
        if not self.model.holds:
            return
        hold = sorted(self.model.holds)[n % len(self.model.holds)]
        who, held, state = self.model.holds[hold]
        fault, _ = self.do(lambda call, ids: billing.void_hold(call, hold))
        assert fault == ("hold_ended" if state == "captured" else None)
        if state == "held":
            self.model.holds[hold] = (who, held, "voided")

    @rule(who=people, limit=st.integers(0, 2000))
    def limit(self, who: str, limit: int) -> None:
        fault, _ = self.do(lambda call, ids: billing.set_credit_limit(call, ids[who], cad(limit)))
        fits = self.model.balance[who] - self.model.held(who) >= -limit
        assert fault == (None if fits else "credit_in_use")
        if fits:
            self.model.limit[who] = limit

    @invariant()
    def ledger_matches_the_model(self) -> None:
        for who in CUSTOMERS:
            expected = (self.model.balance[who], self.model.held(who), self.model.available(who))
            assert self.wait(credit(self.app, who)) == expected

    def teardown(self) -> None:
        assert self.wait(faults(self.app)) == []
        super().teardown()


class APostgresLedger(ALedger):
    database = "postgres"


if "sqlite" in databases.CHOSEN:
    TestALedger = machine(ALedger, 40)
if "postgres" in databases.CHOSEN:
    TestAPostgresLedger = machine(APostgresLedger, 40)
