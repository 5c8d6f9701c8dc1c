"""Random histories of purchases: nothing is paid without goods or refunded twice."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from tests.contexts.billing.ledger.makers import faults, some_credit
from tests.contexts.lockers.shop.makers import Shop, make_shop
from tests.contexts.payments.makers import Stripe, account_balances, make_stripe
from tests.support import databases
from tests.support.app_machines import AppMachine, machine

PRICE, CREDIT = 850, 100_000
which = st.integers(0, 20)
COUNTED = {"paid", "ready", "collected"}
OVER = {"collected", "expired", "refunded"}


class AShop(AppMachine):
    """Three compartments of tea, a customer, guests with cards, and a locker bank."""

    def __init__(self) -> None:
        super().__init__()
        self.stripe: Stripe = self.wait(make_stripe(self.app))
        self.wait(some_credit(self.app, CREDIT))
        self.shop: Shop = self.wait(make_shop(self.app, pieces=3, boxes=3))
        self.purchases: list[int] = []
        self.commands: list[int] = []

    def tries(self, who: str | None, operation: str, values: dict[str, Any]) -> Any:
        """Return the response of a call, or None if rejected; other errors fail."""
        outcome = self.wait(self.app.call(who, operation, values, confirmed=True))
        assert outcome.status < 500, outcome.error
        return outcome.answer

    @rule(pays=st.booleans())
    def buy_with_credit(self, pays: bool) -> None:
        made = self.tries("customer", "reserve_shop_item", self.shop.wanted)
        if made is not None:
            self.purchases.append(made.purchase.id)
            if pays:
                self.tries("customer", "buy_reserved_shop_item", {"shop_purchase_id": made.purchase.id})

    @rule(at_cabinet=st.booleans(), pays=st.booleans(), minutes=st.sampled_from((0, 16)))
    def buy_by_link(self, at_cabinet: bool, pays: bool, minutes: int) -> None:
        frame = self.shop.cabinet.frame(shop_product_id=self.shop.product_id)
        guest = {"clientCode": "demo", "email": "guest@example.com", **self.shop.wanted}
        operation = "reserve_shop_item_at_cabinet" if at_cabinet else "reserve_shop_item_as_guest"
        made = self.tries(None, operation, frame if at_cabinet else guest)
        if made is None:
            return
        self.purchases.append(made.purchase.id)
        self.tries(None, "start_linked_shop_payment", {"link": made.link})
        self.app.clock.forward(minutes=minutes)
        if pays:
            self.stripe.play("pay")
            self.wait(self.stripe.deliver(self.stripe.account.events[-1:]))

    @precondition(lambda self: self.purchases)
    @rule(n=which)
    def type_code(self, n: int) -> None:
        asked = {"shop_purchase_id": self.purchases[n % len(self.purchases)]}
        made = self.tries("admin", "renew_shop_code", asked)
        if made is not None:
            verdict = self.wait(self.shop.cabinet.says("present_locker_code", code=made.code))
            if verdict.command is not None:
                self.commands.append(verdict.command.id)

    @rule()
    def poll(self) -> None:
        self.commands += [each.id for each in self.wait(self.shop.cabinet.asks())]

    @precondition(lambda self: self.commands)
    @rule(n=which, outcome=st.sampled_from(("done", "failed")))
    def report(self, n: int, outcome: str) -> None:
        command = self.commands[n % len(self.commands)]
        self.tries(None, "report_device_command", self.shop.cabinet.frame(command_id=command, outcome=outcome))

    @precondition(lambda self: self.purchases)
    @rule(n=which, operation=st.sampled_from(("cancel_shop_purchase", "refund_shop_purchase")))
    def give_up(self, n: int, operation: str) -> None:
        reason = {"reason": "Dented"} if operation.startswith("refund") else {}
        self.tries("admin", operation, {"shop_purchase_id": self.purchases[n % len(self.purchases)], **reason})

    @rule(minutes=st.sampled_from((1, 4, 60 * 25)))
    def pass_time(self, minutes: int) -> None:
        self.app.clock.forward(minutes=minutes)

    @rule()
    def work(self) -> None:
        self.wait(self.app.work_off())

    def teardown(self) -> None:
        self.check()
        for _ in range(4):
            self.app.clock.forward(hours=30)
            self.wait(self.app.work_off())
            self.wait(self.stripe.deliver())
        statuses = self.check()
        assert statuses <= OVER
        super().teardown()

    def check(self) -> set[str]:
        """Check revenue, one active purchase per item, and payment or mark of each taker."""
        rows = self.wait(self.app.answer("admin", "list_shop_purchases", {"per_page": 200})).purchases
        sold = [each for each in rows if each.status in COUNTED]
        balances = self.wait(account_balances(self.app))
        assert balances.get("revenue", 0) == PRICE * len(sold)
        live = [each.shop_item_id for each in rows if each.status not in OVER]
        assert len(live) == len(set(live))
        items = self.wait(self.shop.items())
        gone = {each.id for each in items if each.status == "sold"}
        took = {each.shop_item_id for each in rows if each.collected_at or each.taken_after_refund}
        assert gone == took
        assert all(each.paid_at for each in rows if each.status in COUNTED | {"refunded"})
        assert self.wait(faults(self.app)) == []
        return {each.status for each in rows}


# One database: the difference is locking, which tests with parallel buyers cover on both.
if "sqlite" in databases.CHOSEN:
    TestAShop = machine(AShop, 14)
