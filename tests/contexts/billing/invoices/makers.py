"""Setup of invoice tests: a billing business and charged customers."""

from itertools import count
from typing import Any

from tests.contexts.billing.invoices.examples import SETTINGS
from tests.contexts.billing.ledger.makers import cad, make_call, some_credit
from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.contexts.billing.invoices.jobs import bill_and_remind
from haulier.contexts.billing.ledger.rules import ChargeDetails
from haulier.contexts.identity import public as access
from haulier.kernel.operations.enums import Account, PriceFamily
from haulier.kernel.values.taxes import Tax

_NUMBERS = count(1)
GST_AND_PST = (Tax(name="GST", rate_bp=500, amount_minor=50), Tax(name="PST", rate_bp=700, amount_minor=70))


async def make_billing_business(app: App, **changes: Any) -> None:
    """Create a business that bills with 13 % tax, and a customer with credit.

    The customer may owe 1,000.00.
    """
    await app.answer("admin", "set_invoicing_settings", SETTINGS | changes)
    await some_credit(app, 0, limit=100_000)


async def charged(app: App, *amounts: int, who: str = "customer", family: PriceFamily | None = None) -> list[int]:
    """Charges of a customer; the ids of their transfers."""
    made = []
    async with make_call(app) as call:
        for minor in amounts:
            number = next(_NUMBERS)
            about = billing.MoneySubject("order", number, family)
            posted = await billing.charge(call, app.ids[who], cad(minor), key=f"order:{number}", subject=about)
            made.append(posted.transfer_id)
    return made


async def issued(app: App, who: str = "customer", **words: Any) -> Any:
    """An invoice of all that a customer was charged."""
    return (await app.answer("admin", "issue_invoice", {"customer_id": app.ids[who], **words})).invoice


async def shown(app: App, invoice_id: int, who: str = "admin") -> Any:
    """Return an invoice as a user sees it now."""
    return (await app.answer(who, "get_invoice", {"invoice_id": invoice_id})).invoice


async def days_later(app: App, days: int) -> None:
    """Let days pass with their periodic work, and renew expired tokens."""
    app.clock.forward(days=days)
    await bill_and_remind.handler(app.application)
    await app.work_off()
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("tests act for every client")
        for role, account in (("admin", Account.CLIENT_ADMIN), ("customer", Account.CUSTOMER)):
            app.tokens[role] = await access.issue_token(
                work, client_id=app.clients["demo"], user_id=app.ids[role], account=account, now=app.clock()
            )


async def make_mixed_invoice(app: App) -> Any:
    """An invoice with charges of the default tax, two taxes and none; as staff see it."""
    await make_billing_business(app, dunning=[])
    await charged(app, 1_130)
    async with make_call(app) as call:
        for number, minor, taxes in ((501, 1_120, GST_AND_PST), (502, 400, ())):
            about = billing.MoneySubject("order", number, None)
            line = ChargeDetails(item="Standard", reference="A", serviced_on=call.today, taxes=taxes)
            key = f"order:{number}"
            await billing.charge(call, app.ids["customer"], cad(minor), key=key, subject=about, line=line)
    return await shown(app, (await issued(app)).id)
