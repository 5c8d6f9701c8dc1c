"""Invoice runs: `python -m bench.invoice_runs --customers 10000`.

Half of the customers are invoiced one by one, the other half by a run. The result is the ratio of both times per
customer, and the time of the preview. Everything runs in this process on SQLite.
"""

import argparse
import asyncio
import time

from tests.support.app import App, make_app

from bench.databases import database_address
from haulier.contexts.billing import public as billing
from haulier.contexts.billing.invoice_runs.jobs import run_invoices
from haulier.contexts.billing.invoice_runs.rules import RunInvoices
from haulier.contexts.identity.accounts.actions import add_user
from haulier.kernel.call import call_as_system
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import Account
from haulier.kernel.values.money import Money

CHARGES = 5
AT_ONCE = 200
UNTIL = "2031-01-31"


async def add_customers(app: App, count: int) -> list[int]:
    """Add customers with a few charges each. Return their ids."""
    client_id, ids = app.clients["demo"], list[int]()
    for first in range(0, count, AT_ONCE):
        async with app.database.write(client_id) as work:
            call = await call_as_system(app.application, client_id, work)
            for number in range(first, min(first + AT_ONCE, count)):
                email = f"c{number}@bench.example"
                customer_id = await add_user(
                    work.without_tenant_filter("a benchmark adds customers"),
                    client_id=client_id,
                    email=email,
                    name=email,
                    account=Account.CUSTOMER,
                    password_hash=None,
                    now=call.now,
                )
                ids.append(customer_id)
                for charge in range(CHARGES):
                    await billing.charge(
                        call,
                        customer_id,
                        Money(1_000 + charge, "CAD"),
                        key=f"b:{number}:{charge}",
                        subject=billing.MoneySubject("order", number * CHARGES + charge + 1),
                        beyond_limit=True,
                    )
    return ids


async def measure(url: str, customers: int) -> None:
    """Print the milliseconds per customer of both ways, and their ratio."""
    async with make_app(url) as app:
        ids = await add_customers(app, customers)
        half = customers // 2
        begin = time.perf_counter()
        for customer_id in ids[:half]:
            await app.answer("admin", "issue_invoice", {"customer_id": customer_id})
        single = (time.perf_counter() - begin) / half
        begin = time.perf_counter()
        preview = await app.answer("admin", "preview_invoice_run", {"until": UNTIL, "per_page": 100})
        previewed = time.perf_counter() - begin
        run = (await app.answer("admin", "start_invoice_run", {"until": UNTIL, "send": False})).invoice_run
        begin = time.perf_counter()
        await run_invoices.handler(JobRun(app.application, app.clients["demo"], 1, 1), RunInvoices(run.id))
        of_run = (time.perf_counter() - begin) / run.customers
    print(f"preview of {preview.total:,} customers: {previewed * 1000:,.0f} ms")
    print(f"one by one: {single * 1000:.1f} ms, run: {of_run * 1000:.1f} ms per customer")
    print(f"ratio: {of_run / single:.2f}")


def main() -> None:
    """Measure with the number of customers of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--customers", type=int, default=200)
    customers = parser.parse_args().customers
    with database_address("sqlite") as url:
        asyncio.run(measure(url, customers))


if __name__ == "__main__":
    main()
