"""The journal balances and reconciles to the ledger and the tax report."""

from collections import defaultdict
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule
from sqlalchemy import func, select
from tests.contexts.billing.invoices.makers import make_billing_business
from tests.contexts.billing.journal.makers import YEARS, balances, journal
from tests.contexts.billing.ledger.makers import cad, make_call
from tests.support import databases
from tests.support.app_machines import AppMachine, machine

from haulier.contexts.billing import public as billing
from haulier.contexts.billing.ledger.store.tables import accounts
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.values.taxes import Tax, tax_within

amounts = st.integers(1, 1000)
which = st.integers(0, 20)
rates = st.sampled_from([None, 0, 500, 1300])
REVENUE = {"refunds", "write_offs", "tax"}


class Journals(AppMachine):
    """A business with charges, payments, invoices and credit notes."""

    def __init__(self) -> None:
        super().__init__()
        self.wait(make_billing_business(self.app, dunning=[]))
        self.charges: list[int] = []
        self.keys = 0

    def asked(self, operation: str, **values: Any) -> None:
        self.keys += 1
        status = self.wait(self.app.call("admin", operation, values)).status
        assert status in {200, 201, 404, 409}

    def invoice_of(self, n: int) -> int:
        rows = self.wait(self.app.answer("admin", "list_invoices", {"kind": "invoice"})).invoices
        return rows[n % len(rows)].id if rows else 10**6

    @rule(minor=amounts, rate=rates, family=st.none() | st.sampled_from(PriceFamily))
    def charge(self, minor: int, rate: int | None, family: PriceFamily | None) -> None:
        self.charges.append(self.wait(self.charged(minor, rate, family)))

    async def charged(self, minor: int, rate: int | None, family: PriceFamily | None) -> int:
        self.keys += 1
        taxes = (Tax(name="VAT", rate_bp=rate, amount_minor=tax_within(minor, rate)),) if rate else ()
        async with make_call(self.app) as call:
            posted = await billing.charge(
                call,
                self.app.ids["customer"],
                cad(minor),
                key=f"charge:{self.keys}",
                subject=billing.MoneySubject("label", self.keys, family),
                line=None if rate is None else billing.ChargeDetails(taxes=taxes),
            )
        return posted.transfer_id

    @rule(minor=amounts)
    def pay_in(self, minor: int) -> None:
        customer = self.app.ids["customer"]
        self.asked("top_up_credit", customer_id=customer, amount_minor=minor, reference=f"P{self.keys}")

    @rule(minor=amounts)
    def adjust(self, minor: int) -> None:
        customer, key = self.app.ids["customer"], f"A{self.keys}"
        self.asked("adjust_credit", customer_id=customer, amount_minor=-minor, reference=key, reason="Damage")

    @rule()
    def issue(self) -> None:
        self.asked("issue_invoice", customer_id=self.app.ids["customer"])

    @rule(n=which)
    def void(self, n: int) -> None:
        self.asked("void_invoice", invoice_id=self.invoice_of(n), reason="Wrong")

    @rule(n=which, minor=st.none() | amounts)
    def credit(self, n: int, minor: int | None) -> None:
        self.asked("credit_invoice", invoice_id=self.invoice_of(n), amount_minor=minor, reason="Late")

    @rule(n=which, minor=amounts)
    def refund(self, n: int, minor: int) -> None:
        charge = self.charges[n % len(self.charges)] if self.charges else 10**6
        self.asked("refund_charge", transfer_id=charge, amount_minor=minor, reference=f"R{self.keys}", reason="Late")

    @invariant()
    def entries_balance_and_reconcile_to_the_ledger(self) -> None:
        entries = self.wait(journal(self.app, per_page=3))
        for entry in entries:
            assert sum(line.debit_minor for line in entry.lines) == sum(line.credit_minor for line in entry.lines)
        assert self.of_ledger(balances(entries)) == self.wait(self.ledger())

    def of_ledger(self, found: dict[str, int]) -> dict[str, int]:
        """Return the balances of the journal by the accounts of the ledger."""
        sums: dict[str, int] = defaultdict(int)
        for account, minor in found.items():
            income = account in REVENUE or account.startswith("revenue")
            sums["income" if income else account] += minor
        return {account: minor for account, minor in sums.items() if minor}

    async def ledger(self) -> dict[str, int]:
        total = func.sum(accounts.c.balance_minor).label("total")
        async with make_call(self.app) as call:
            rows = await call.work.all(select(accounts.c.kind, total).group_by(accounts.c.kind))
        sums: dict[str, int] = defaultdict(int)
        for row in rows:
            kind = str(row.kind)
            name = {"wallet": "receivables", "revenue": "income", "adjustments": "income"}.get(kind, kind)
            sums[name] -= int(row.total)
        return {account: minor for account, minor in sums.items() if minor}

    @invariant()
    def the_tax_report_is_that_of_the_journal_and_of_the_invoices(self) -> None:
        report = self.wait(self.app.answer("admin", "get_tax_report", YEARS))
        total = sum(each.tax_minor for each in report.totals)
        assert total == sum(line.tax_minor for line in report.lines)
        assert total == -balances(self.wait(journal(self.app))).get("tax", 0)
        rows = self.wait(self.app.answer("admin", "list_invoices", {"per_page": 200})).invoices
        counted = [(row, 1 if row.kind == "invoice" else -1) for row in rows if row.status != "void"]
        assert total == sum(sign * row.tax_minor for row, sign in counted)
        assert sum(each.gross_minor for each in report.totals) == sum(sign * row.total_minor for row, sign in counted)


class JournalsOnPostgres(Journals):
    database = "postgres"


if "sqlite" in databases.CHOSEN:
    TestJournals = machine(Journals, 20)
if "postgres" in databases.CHOSEN:
    TestJournalsOnPostgres = machine(JournalsOnPostgres, 20)
