"""Jobs that issue invoices, send reminders and apply incoming credit."""

from datetime import timedelta

from haulier.contexts.billing.events import CreditChanged
from haulier.contexts.billing.invoices import store
from haulier.contexts.billing.invoices.actions.issued_invoices import remind
from haulier.contexts.billing.invoices.actions.payments import pay_from_credit
from haulier.contexts.billing.invoices.queries import dunning_levels, load_settings
from haulier.contexts.billing.invoices.rules import (
    BILL_CUSTOMER_JOB,
    REMIND_JOB,
    BillCustomer,
    RemindCustomer,
)
from haulier.contexts.billing.ledger.queries import list_credits
from haulier.contexts.identity.public import find_all_client_ids
from haulier.kernel.application import Application
from haulier.kernel.background.events import subscriber
from haulier.kernel.background.jobs import job
from haulier.kernel.background.periodic import periodic
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.job_run import JobRun

EVERY = timedelta(hours=1)
AT_ONCE = 500
"""Maximum number of customers billed, and of customers reminded, per business and round."""


@periodic(EVERY)
async def bill_and_remind(app: Application) -> None:
    """Enqueue the work that is due today for every business, by its own calendar."""
    async with app.database.read(None) as work:
        clients = await find_all_client_ids(work)
    for client_id in clients:
        async with app.database.write(client_id) as work:
            await enqueue_due_work(await call_as_system(app, client_id, work))


async def enqueue_due_work(call: Call) -> None:
    """Enqueue a job per customer to bill and per reminder due, once a day."""
    day = call.today
    for customer_id in await store.list_customers_to_bill(call.work, day, AT_ONCE):
        await call.enqueue(BILL_CUSTOMER_JOB, BillCustomer(customer_id), idempotency_key=f"{customer_id}:{day}")
    for level, step in enumerate(dunning_levels(await load_settings(call))):
        due = day - timedelta(days=step.days_overdue)
        for invoice_id in await store.list_unpaid_invoices(call.work, level=level, day=due, most=AT_ONCE):
            key = f"{invoice_id}:{level}:{day}"
            await call.enqueue(REMIND_JOB, RemindCustomer(invoice_id), idempotency_key=key)


@job(REMIND_JOB, RemindCustomer, max_attempts=4)
async def remind_customer(run: JobRun, args: RemindCustomer) -> None:
    """Send a reminder about an invoice unless it has been paid."""
    async with run.call() as call:
        await remind(call, args.invoice_id)


@subscriber(CreditChanged)
async def pay_open_invoices(call: Call, event: CreditChanged) -> None:
    """Pay open invoices from credit that a customer received."""
    for credit in await list_credits(call, event.customer_id):
        if await store.list_open_invoices(call.work, event.customer_id, credit.balance.currency, 1):
            await pay_from_credit(call, event.customer_id, credit.balance.currency)
