"""Courier orders to a weekly invoice with disputed stops and credit notes."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule
from tests.contexts.billing.invoices.examples import SETTINGS
from tests.contexts.billing.journal.makers import YEARS, balances, journal
from tests.contexts.billing.ledger.makers import credit, faults
from tests.contexts.orders.examples import ADDRESS
from tests.support import databases
from tests.support.app_machines import AppMachine, machine
from tests.support.transport import make_driver, make_order, make_route

from haulier.kernel.values.taxes import tax_within

HST = 1300
PER_STOP, PER_FAILED = 310, 150
HISTORIES = 10


class CouriersWeek(AppMachine):
    """A business that charges on delivery and invoices its customer each week."""

    def __init__(self) -> None:
        super().__init__()
        self.charged: dict[int, int] = {}
        """Price of each delivered order."""
        self.attempts = [0, 0]
        """Stops that were delivered, and that failed."""
        self.refunded = 0
        self.paid = 0
        self.payments = 0
        self.invoice: Any = None
        self.disputed: set[int] = set()
        self.driver_id = self.wait(make_driver(self.app, user="driver"))
        customer = self.app.ids["customer"]
        rate = {"per_stop_minor": PER_STOP, "per_failed_stop_minor": PER_FAILED}
        self.answer("set_invoicing_settings", **SETTINGS)
        self.answer("set_billing_terms", customer_id=customer, period="week", billing_day=1, automatic=False)
        self.answer("set_pay_rate", payee_kind="driver", valid_from="2026-06-01", **rate)

    def answer(self, operation: str, who: str = "admin", **values: Any) -> Any:
        return self.wait(self.app.answer(who, operation, values, confirmed=True))

    @rule(weight_g=st.integers(1, 30_000), delivered=st.booleans())
    def drive(self, weight_g: int, delivered: bool) -> None:
        """An order is planned and driven, and delivered or not."""
        order_id, stop = self.wait(self.started(weight_g))
        price = self.answer("get_order_detail", order_id=order_id).order.shipping_price
        self.app.clock.forward(minutes=5)
        if delivered:
            self.answer("deliver_stop", "driver", **stop, recipient="Ada")
            self.charged[order_id] = price
        else:
            self.answer("fail_stop", "driver", **stop, reason="recipient_absent", outcome="return")
        self.attempts[not delivered] += 1
        self.wait(self.app.work_off())

    async def started(self, weight_g: int) -> tuple[int, dict[str, int]]:
        order = {"consignee": ADDRESS, "customer_id": self.app.ids["customer"], "packages": [{"weight_g": weight_g}]}
        order_id = await make_order(self.app, **order)
        route_id = await make_route(self.app, order_ids=[order_id], driver_id=self.driver_id)
        route = (await self.app.answer("driver", "start_route", {"route_id": route_id})).route
        return order_id, {"route_id": route_id, "stop_id": route.stops[-1].id}

    @precondition(lambda self: self.charged)
    @rule()
    def invoice_week(self) -> None:
        """The run of the week bills what was delivered since the last one."""
        started = self.app.clock().date().isoformat()
        run = self.wait(self.app.call("admin", "start_invoice_run", {"cycle": "week", "until": started, "send": False}))
        if run.error:
            assert run.error["code"] == "NOTHING_TO_INVOICE"
            return
        self.wait(self.app.work_off())
        rows = self.answer("list_invoices", kind="invoice", per_page=1).invoices
        self.invoice = self.answer("get_invoice", invoice_id=rows[0].id).invoice
        assert self.invoice.total_minor == sum(line.amount_minor for line in self.invoice.lines)
        assert all(line.taxes[0].rate_bp == HST for line in self.invoice.lines)

    @precondition(lambda self: self.invoice)
    @rule(n=st.integers(0, 20))
    def dispute(self, n: int) -> None:
        """One stop is disputed: its credit note has that line only."""
        line = self.invoice.lines[n % len(self.invoice.lines)]
        asked = {"invoice_id": self.invoice.id, "transfer_id": line.transfer_id, "reason": "Wrong door."}
        result = self.wait(self.app.call("admin", "credit_invoice", asked, confirmed=True))
        if line.transfer_id in self.disputed:
            assert result.error
            return
        self.disputed.add(line.transfer_id)
        (credited,) = result.answer.invoice.lines
        assert (credited.charge_id, credited.amount_minor) == (line.transfer_id, line.amount_minor)
        assert sum(tax.amount_minor for tax in credited.taxes) == sum(tax.amount_minor for tax in line.taxes)
        self.refunded += line.amount_minor

    @precondition(lambda self: self.invoice)
    @rule(part=st.integers(1, 100))
    def pay(self, part: int) -> None:
        """The customer pays a part of what is due."""
        due = self.answer("get_invoice", invoice_id=self.invoice.id).invoice.due_minor
        minor = due * part // 100
        if minor:
            self.payments += 1
            values = {"amount_minor": minor, "reference": f"P{self.payments}"}
            self.answer("record_invoice_payment", invoice_id=self.invoice.id, **values)
            self.paid += minor

    @invariant()
    def the_customer_owes_what_was_delivered_less_payments_and_credits(self) -> None:
        balance, held, _ = self.wait(credit(self.app))
        assert (balance, held) == (self.paid + self.refunded - sum(self.charged.values()), 0)
        assert self.wait(faults(self.app)) == []

    @invariant()
    def taxes_of_invoices_report_and_journal_are_equal(self) -> None:
        report = self.answer("get_tax_report", **YEARS)
        rows = self.answer("list_invoices", per_page=200).invoices
        signed = [(row, 1 if row.kind == "invoice" else -1) for row in rows]
        tax = sum(sign * row.tax_minor for row, sign in signed)
        assert sum(each.tax_minor for each in report.totals) == tax
        assert -balances(self.wait(journal(self.app))).get("tax", 0) == tax
        for row in rows:
            lines = self.answer("get_invoice", invoice_id=row.id).invoice.lines
            assert row.tax_minor == sum(tax_within(line.amount_minor, HST) for line in lines)

    @invariant()
    def the_driver_is_paid_by_stop(self) -> None:
        earned = self.answer("list_earnings", per_page=100).earnings
        done, failed = self.attempts
        assert sum(each.amount_minor for each in earned) == done * PER_STOP + failed * PER_FAILED


class CouriersWeekOnPostgres(CouriersWeek):
    database = "postgres"


if "sqlite" in databases.CHOSEN:
    TestCouriersWeek = machine(CouriersWeek, 8)
    TestCouriersWeek.settings = settings(TestCouriersWeek.settings, max_examples=HISTORIES)
if "postgres" in databases.CHOSEN:
    TestCouriersWeekOnPostgres = machine(CouriersWeekOnPostgres, 8)
