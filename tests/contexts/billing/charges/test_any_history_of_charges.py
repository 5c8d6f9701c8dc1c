"""Charges are paid, billed, refunded and cancelled, but never returned twice.

Operations run in any order and concurrently.
"""

import asyncio
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule
from sqlalchemy import select
from tests.contexts.billing.invoices.makers import charged, make_billing_business
from tests.contexts.billing.ledger.makers import cad, credit, faults, make_call
from tests.contexts.billing.taxes.examples import RATE
from tests.support import databases
from tests.support.app_machines import AppMachine, machine

from haulier.contexts.billing import public as billing
from haulier.contexts.billing.invoices.store import invoices, lines
from haulier.contexts.billing.ledger.store.tables import transfers
from haulier.kernel.data.unit_of_work import TransactionRetry

amounts = st.integers(1, 1000)
which = st.integers(0, 20)
REFUSED = {200, 404, 409}


class Charges(AppMachine):
    """A customer who may owe, over a real database."""

    def __init__(self) -> None:
        super().__init__()
        self.wait(make_billing_business(self.app, dunning=[]))
        self.charges: list[int] = []
        self.keys = 0

    def key(self) -> str:
        self.keys += 1
        return f"K{self.keys}"

    def charge_of(self, n: int) -> int:
        return self.charges[n % len(self.charges)] if self.charges else 10**6

    async def invoice_of(self, n: int) -> int:
        rows = (await self.app.answer("admin", "list_invoices", {"kind": "invoice"})).invoices
        return rows[n % len(rows)].id if rows else 10**6

    async def asked(self, operation: str, **values: Any) -> None:
        assert (await self.app.call("admin", operation, values)).status in REFUSED

    async def cancelled(self, charge: int, minor: int | None, key: str) -> None:
        while True:
            try:
                async with make_call(self.app) as call:
                    await billing.refund_remaining(call, charge, None if minor is None else cad(minor), key=key)
            except TransactionRetry:
                continue
            return

    @rule(minor=amounts)
    def charge(self, minor: int) -> None:
        self.charges += self.wait(charged(self.app, minor))

    @rule(minor=amounts)
    def pay_in(self, minor: int) -> None:
        paid = {"customer_id": self.app.ids["customer"], "amount_minor": minor, "reference": self.key()}
        self.wait(self.asked("top_up_credit", **paid))

    @rule()
    def issue(self) -> None:
        self.wait(self.asked("issue_invoice", customer_id=self.app.ids["customer"]))

    @rule(n=which)
    def pay_invoice(self, n: int) -> None:
        self.wait(self.asked("record_invoice_payment", invoice_id=self.wait(self.invoice_of(n)), reference=self.key()))

    @rule(n=which)
    def void(self, n: int) -> None:
        self.wait(self.asked("void_invoice", invoice_id=self.wait(self.invoice_of(n)), reason="Wrong"))

    @rule(n=which, minor=st.none() | amounts)
    def refund(self, n: int, minor: int | None) -> None:
        self.wait(
            self.asked(
                "refund_charge", transfer_id=self.charge_of(n), amount_minor=minor, reference=self.key(), reason="R"
            )
        )

    @rule(n=which, minor=st.none() | amounts)
    def cancel(self, n: int, minor: int | None) -> None:
        if self.charges:
            self.wait(self.cancelled(self.charge_of(n), minor, self.key()))

    @rule(n=which, m=st.none() | which, minor=st.none() | amounts)
    def credit_note(self, n: int, m: int | None, minor: int | None) -> None:
        self.wait(
            self.asked(
                "credit_invoice",
                invoice_id=self.wait(self.invoice_of(n)),
                transfer_id=None if m is None else self.charge_of(m),
                amount_minor=minor,
                reason="C",
            )
        )

    @rule(n=which, minor=st.none() | amounts)
    def all_at_once(self, n: int, minor: int | None) -> None:
        if not self.charges:
            return
        charge, invoice, customer = self.charge_of(n), self.wait(self.invoice_of(n)), self.app.ids["customer"]

        async def run() -> None:
            await asyncio.gather(
                self.asked("issue_invoice", customer_id=customer),
                self.asked("refund_charge", transfer_id=charge, reference=self.key(), reason="R"),
                self.cancelled(charge, minor, self.key()),
                self.asked("credit_invoice", invoice_id=invoice, amount_minor=minor, reason="C"),
            )

        self.wait(run())

    @invariant()
    def no_charge_is_given_back_twice(self) -> None:
        for row in self.wait(self.rows()):
            assert 0 <= row.given_back_minor <= row.amount_minor

    @invariant()
    def the_credit_is_what_was_paid_in_and_given_back_less_what_was_charged(self) -> None:
        rows = self.wait(self.rows())
        paid_in = sum(row.amount_minor for row in rows if row.kind == "top_up")
        charged_minor = sum(row.amount_minor for row in rows if row.kind == "charge")
        given = sum(row.given_back_minor for row in rows if row.kind == "charge")
        assert self.wait(credit(self.app))[0] == paid_in - charged_minor + given

    @invariant()
    def check_invoices_match_open_charges(self) -> None:
        for asked, left in self.wait(self.asked_and_left()):
            assert asked == left

    async def rows(self) -> list[Any]:
        async with make_call(self.app) as call:
            return list(await call.work.all(select(transfers)))

    async def asked_and_left(self) -> list[tuple[int, int]]:
        async with make_call(self.app) as call:
            left = {row.id: row.amount_minor - row.given_back_minor for row in await call.work.all(select(transfers))}
            billed = await call.work.all(select(lines).where(lines.c.amount_minor > 0))
            wanted = select(invoices).where(invoices.c.kind == "invoice", invoices.c.status != "void")
            rows = await call.work.all(wanted)
        return [
            (
                row.total_minor - row.credited_minor,
                sum(left[line.transfer_id] for line in billed if line.invoice_id == row.id),
            )
            for row in rows
        ]

    def teardown(self) -> None:
        assert self.wait(faults(self.app)) == []
        super().teardown()


class TaxedCharges(Charges):
    """Charges that contain the tax of the home jurisdiction, rounded per invoice."""

    def __init__(self) -> None:
        super().__init__()
        home = {"country": "CA", "region": "ON", "rounding": "invoice"}
        self.wait(self.app.answer("admin", "set_tax_settings", home))
        self.wait(self.app.answer("admin", "create_tax_rate", RATE))

    @rule(minor=amounts)
    def charge(self, minor: int) -> None:
        self.charges.append(self.wait(self.taxed(minor)))

    async def taxed(self, minor: int) -> int:
        subject = billing.MoneySubject("label", len(self.charges) + 1)
        async with make_call(self.app) as call:
            posted = await billing.charge(
                call,
                self.app.ids["customer"],
                cad(minor),
                key=self.key(),
                subject=subject,
                line=billing.ChargeDetails(item="Label"),
            )
        return posted.transfer_id

    @invariant()
    def the_tax_of_a_document_is_that_of_its_lines(self) -> None:
        for document, its_lines in self.wait(self.documents()):
            taxes = [tax["amount_minor"] for line in its_lines for tax in line.taxes or ()]
            assert document.tax_minor == sum(taxes)
            assert document.total_minor == sum(line.amount_minor for line in its_lines)

    @invariant()
    def check_credited_invoices_credit_all_tax(self) -> None:
        documents = self.wait(self.documents())
        for document, its_lines in documents:
            whole = document.credited_minor == document.total_minor and document.kind == "invoice"
            # Several refunds before an invoice are rounded one by one.
            if whole and all(line.amount_minor > 0 for line in its_lines):
                notes = [note.tax_minor for note, _ in documents if note.refers_to == document.id]
                assert sum(notes) == document.tax_minor

    async def documents(self) -> list[tuple[Any, list[Any]]]:
        async with make_call(self.app) as call:
            found = await call.work.all(select(invoices))
            printed = await call.work.all(select(lines))
        return [(row, [line for line in printed if line.invoice_id == row.id]) for row in found]


class ChargesOnPostgres(Charges):
    database = "postgres"


class TaxedChargesOnPostgres(TaxedCharges):
    database = "postgres"


if "sqlite" in databases.CHOSEN:
    TestCharges = machine(Charges, 25)
    TestTaxedCharges = machine(TaxedCharges, 15)
if "postgres" in databases.CHOSEN:
    TestChargesOnPostgres = machine(ChargesOnPostgres, 25)
    TestTaxedChargesOnPostgres = machine(TaxedChargesOnPostgres, 15)
