"""Errors of invoice runs: nothing to invoice, finished and unfinished runs."""

from typing import Any

from tests.contexts.billing.invoices.makers import charged, make_billing_business
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App


async def scene(app: App) -> dict[str, Any]:
    """Create a finished and an unfinished run, and a customer without charges."""
    await make_billing_business(app)
    finished = await _started(app)
    await app.work_off()
    return {"finished": finished, "unfinished": await _started(app), "nothing": app.ids["customer2"]}


async def _started(app: App) -> int:
    await charged(app, 1000)
    asked = {"until": app.clock().date().isoformat()}
    return (await app.answer("admin", "start_invoice_run", asked)).invoice_run.id


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    unfinished = {"invoice_run_id": ids["unfinished"]}
    return {
        ("start_invoice_run", "NOTHING_TO_INVOICE"): ("admin", {"customer_ids": [ids["nothing"]]}),
        ("cancel_invoice_run", "INVOICE_RUN_OVER"): ("admin", {"invoice_run_id": ids["finished"]}),
        ("retry_invoice_run", "INVOICE_RUN_NOT_OVER"): ("admin", unfinished),
        ("send_invoice_run", "INVOICE_RUN_NOT_OVER"): ("admin", unfinished),
    }
