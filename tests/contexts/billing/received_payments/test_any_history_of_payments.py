"""Payments, invoices and balances agree to the cent after any history."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule
from tests.contexts.billing.invoices.makers import charged, make_billing_business
from tests.contexts.billing.ledger.makers import credit, faults
from tests.support import databases
from tests.support.app_machines import AppMachine, machine

amounts = st.integers(1, 1000)
which = st.integers(0, 20)


class Payments(AppMachine):
    """A customer with invoices, payments, allocations and credit notes."""

    def __init__(self) -> None:
        super().__init__()
        self.wait(make_billing_business(self.app, dunning=[]))
        self.customer = self.app.ids["customer"]
        self.unbilled, self.keys = 0, 0

    def asked(self, operation: str, **values: Any) -> Any:
        self.keys += 1
        outcome = self.wait(self.app.call("admin", operation, values))
        assert outcome.status in {200, 201, 404, 409}, outcome.error
        self.wait(self.app.work_off())
        return outcome

    def listed(self, operation: str, field: str, **filters: Any) -> list[Any]:
        return list(getattr(self.wait(self.app.answer("admin", operation, {"per_page": 200, **filters})), field))

    def one_of(self, n: int, operation: str, field: str, **filters: Any) -> int:
        rows = self.listed(operation, field, **filters)
        return rows[n % len(rows)].id if rows else 10**6

    def invoice(self, n: int) -> int:
        return self.one_of(n, "list_invoices", "invoices", kind="invoice")

    def payment(self, n: int) -> int:
        return self.one_of(n, "list_received_payments", "received_payments")

    @rule(minor=amounts)
    def charge(self, minor: int) -> None:
        self.wait(charged(self.app, minor))
        self.unbilled += minor

    @rule()
    def issue(self) -> None:
        if self.asked("issue_invoice", customer_id=self.customer).error is None:
            self.unbilled = 0

    @rule(minor=amounts)
    def pay(self, minor: int) -> None:
        self.asked("top_up_credit", customer_id=self.customer, amount_minor=minor, reference=f"P{self.keys}")

    @rule(minor=amounts, n=which, part=st.none() | amounts)
    def pay_one(self, minor: int, n: int, part: int | None) -> None:
        parts = [{"invoice_id": self.invoice(n), "amount_minor": part}]
        paid = {"customer_id": self.customer, "amount_minor": minor, "reference": f"P{self.keys}"}
        self.asked("top_up_credit", **paid, allocations=parts)

    @rule(n=which, minor=st.none() | amounts, paid_by=st.sampled_from(["bank", "cash", "credit"]))
    def pay_invoice(self, n: int, minor: int | None, paid_by: str) -> None:
        paid = {"amount_minor": minor, "paid_by": paid_by, "reference": f"P{self.keys}"}
        self.asked("record_invoice_payment", invoice_id=self.invoice(n), **paid)

    @rule(n=which, m=which, minor=st.none() | amounts, automatic=st.booleans())
    def allocate(self, n: int, m: int, minor: int | None, automatic: bool) -> None:
        parts = None if automatic else [{"invoice_id": self.invoice(m), "amount_minor": minor}]
        self.asked("allocate_payment", received_payment_id=self.payment(n), allocations=parts)

    @rule(n=which)
    def undo(self, n: int) -> None:
        parts = [
            part for each in self.listed("list_received_payments", "received_payments") for part in each.allocations
        ]
        self.asked("undo_allocation", allocation_id=parts[n % len(parts)].id if parts else 10**6)

    @rule(n=which)
    def reverse(self, n: int) -> None:
        self.asked("reverse_payment", received_payment_id=self.payment(n), reason="Bounced")

    @rule(n=which, minor=st.none() | amounts)
    def credit_invoice(self, n: int, minor: int | None) -> None:
        self.asked("credit_invoice", invoice_id=self.invoice(n), amount_minor=minor, reason="Late")

    @rule(n=which)
    def void(self, n: int) -> None:
        invoice = self.invoice(n)
        if self.asked("void_invoice", invoice_id=invoice, reason="Wrong").error is None:
            self.unbilled += self.shown(invoice).total_minor

    def shown(self, invoice: int) -> Any:
        return self.wait(self.app.answer("admin", "get_invoice", {"invoice_id": invoice})).invoice

    @invariant()
    def invoices_payments_and_the_ledger_agree(self) -> None:
        invoices = [self.shown(each.id) for each in self.listed("list_invoices", "invoices", kind="invoice")]
        for each in invoices:
            assert each.paid_minor == sum(part.amount_minor for part in each.allocations)
            assert each.paid_minor + each.credited_minor <= each.total_minor
            assert (each.due_minor > 0) == (each.status.value == "open")
        payments = self.listed("list_received_payments", "received_payments")
        for each in payments:
            assert each.allocated_minor == sum(part.amount_minor for part in each.allocations) <= each.amount_minor
        balance = self.wait(credit(self.app))[0]
        valid = [each for each in invoices if each.status.value != "void"]
        paid_in = sum(each.amount_minor for each in payments if each.status.value != "reversed")
        credited = sum(each.credited_minor for each in valid)
        assert balance == paid_in + credited - sum(each.total_minor for each in valid) - self.unbilled
        assert self.wait(self.app.answer("admin", "get_credit_statement", self.named())).closing_minor == balance
        assert self.wait(faults(self.app)) == []

    def named(self) -> dict[str, Any]:
        return {"customer_id": self.customer, "per_page": 1}


class PaymentsOnPostgres(Payments):
    database = "postgres"


if "sqlite" in databases.CHOSEN:
    TestPayments = machine(Payments, 20)
if "postgres" in databases.CHOSEN:
    TestPaymentsOnPostgres = machine(PaymentsOnPostgres, 20)
