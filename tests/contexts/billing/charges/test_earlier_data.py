"""Refunds and credit notes of an earlier version count as given back after the upgrade."""

from pathlib import Path

from sqlalchemy import select
from tests.contexts.billing.invoices.makers import a_billing_business, charged, issued
from tests.contexts.billing.ledger.makers import a_call, cad
from tests.support import databases
from tests.support.app import App

import haulier.migrations.versions
from haulier.adapters import migrations
from haulier.contexts.billing import public as billing
from haulier.contexts.billing.ledger.store.tables import transfers

STEP = "*_what_is_given_back_of_charges.py"


def revision_of(pattern: str) -> int:
    (file,) = Path(haulier.migrations.versions.__path__[0]).glob(pattern)
    return int(file.name[:4])


async def sums(app: App) -> dict[int, int]:
    async with a_call(app) as call:
        return {row.id: row.given_back_minor for row in await call.work.all(select(transfers))}


async def test_what_was_given_back_earlier_counts(app: App) -> None:
    await a_billing_business(app)
    async with a_call(app) as call:
        await billing.adjust(call, app.ids["customer"], cad(200), key="goodwill", reason="Late")
    await charged(app, 1000, 400)
    await app.answer("admin", "credit_invoice", {"invoice_id": (await issued(app)).id, "reason": "All"})
    first, second, third = await charged(app, 500, 600, 700)
    async with a_call(app) as call:
        await billing.refund(call, first, cad(100), key="part")
    part = {"invoice_id": (await issued(app)).id, "amount_minor": 900, "reason": "Part"}
    await app.answer("admin", "credit_invoice", part)
    before = await sums(app)
    assert [before[id] for id in (first, second, third)] == [500, 500, 0]
    step = revision_of(STEP)
    url = app.database_url if app.database_url.startswith("sqlite") else databases.cluster().url()
    await app.database.close()  # a file is not migrated under an open connection
    try:
        migrations.downgrade_schema(url, f"{step - 1:04}")
    finally:
        migrations.upgrade_schema(url)
        await app.database.open()
    assert await sums(app) == before
