"""The billing page: unbilled charges, invoices, payments, pay, taxes and exports."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from haulier.contexts.billing.einvoices.operations import get_invoice_ubl
from haulier.contexts.billing.invoice_runs.operations import preview_invoice_run
from haulier.contexts.billing.invoices.operations import get_invoice_file, list_invoices
from haulier.contexts.billing.journal.operations import list_journal_entries
from haulier.contexts.billing.ledger.operations import list_ledger_transfers
from haulier.contexts.billing.payment_allocations.operations import list_received_payments, top_up_credit
from haulier.contexts.billing.receivables.operations import get_receivables
from haulier.contexts.billing.received_payments.rules import ReceivedPaymentStatus
from haulier.contexts.billing.tax_reports.operations import get_tax_report
from haulier.contexts.orders.order_charges.operations import list_uncharged_orders
from haulier.contexts.settlements.payouts.operations import list_payouts, preview_payouts
from haulier.contexts.settlements.payouts.rules import PayoutStatus
from haulier.kernel.values.taxes import percent_text
from haulier.web.desk.pages import DeskRequest, not_found
from haulier.web.desk.pickers import load_names
from haulier.web.desk.places import act_address
from haulier.web.desk.receivables import load_receivables

ADDRESS = "/desk/billing"
CUSTOMERS_SHOWN, INVOICES_SHOWN, PAYMENTS_SHOWN = 8, 10, 6
PAYEES_SHOWN = 8
JOURNAL_PAGE = 500


async def billing_page(desk: DeskRequest) -> Response:
    """Show charges, invoices, payments, pay, taxes and exports."""
    if not desk.may(list_invoices):
        return not_found(desk)
    preview = await desk.read_if_allowed(preview_invoice_run, until=str(desk.today), per_page=CUSTOMERS_SHOWN)
    waiting = await desk.read_if_allowed(list_uncharged_orders, limit=1)
    invoices = await desk.read_if_allowed(list_invoices, per_page=INVOICES_SHOWN)
    unpaid, overdue = [
        (await desk.read_if_allowed(list_invoices, per_page=1, kind="invoice", **filters)).get("total", 0)
        for filters in ({"status": "open"}, {"overdue": True})
    ]
    receivables = await load_receivables(desk, per_page=CUSTOMERS_SHOWN)
    payments = await _payments(desk)
    to_allocate = await desk.read_if_allowed(
        list_received_payments, per_page=1, status=ReceivedPaymentStatus.UNALLOCATED.value
    )
    payees = await _payees(desk)
    taxes = await desk.read_if_allowed(get_tax_report)
    await load_names(
        desk,
        [*(invoices.get("invoices") or []), *payments],
        ["customer_id"],
    )
    return desk.page(
        "desk_billing.html",
        preview=preview,
        waiting=[each for each in waiting.get("sums") or [] if each["orders"]],
        invoices=invoices.get("invoices") or [],
        files=[(name, each) for name, each in (("PDF", get_invoice_file), ("UBL", get_invoice_ubl)) if desk.may(each)],
        unpaid=unpaid,
        overdue=overdue,
        receivables=receivables,
        get_receivables=get_receivables,
        to_allocate=to_allocate.get("total", 0),
        payments=payments,
        record_payment=top_up_credit if desk.may(top_up_credit) else None,
        payees=payees,
        payouts_open=desk.may(preview_payouts),
        taxes=taxes,
        exports=_exports(desk, taxes),
        percent=percent_text,
    )


async def _payments(desk: DeskRequest) -> list[dict[str, Any]]:
    """Return the latest payments of customers with the invoice that each pays."""
    found = await desk.read_if_allowed(list_ledger_transfers, kind="top_up", per_page=PAYMENTS_SHOWN)
    return [{**each, "customer_id": each["credit_owner_id"]} for each in found.get("transfers") or []]


async def _payees(desk: DeskRequest) -> list[dict[str, Any]]:
    """Return unpaid earnings by payee, then the open payouts, disputed ones first."""
    unpaid = (await desk.read_if_allowed(preview_payouts)).get("candidates") or []
    waiting = (await desk.read_if_allowed(list_payouts, status=PayoutStatus.OPEN.value, per_page=PAYEES_SHOWN)).get(
        "payouts"
    ) or []
    disputed_first = sorted(waiting, key=lambda each: (-each["open_disputes"], -each["id"]))
    return [*disputed_first, *unpaid][:PAYEES_SHOWN]


def _exports(desk: DeskRequest, taxes: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the exports of the month: name of the message, and address."""
    days = {name: taxes[name] for name in ("date_from", "date_to") if name in taxes}
    found: list[tuple[str, str]] = []
    if desk.may(list_journal_entries):
        journal = {**days, "per_page": JOURNAL_PAGE, "download": 1}
        found += [
            (f"billing_page.journal_{form}", act_address(list_journal_entries, **journal, format=form))
            for form in ("csv", "fec")
        ]
    if taxes:
        found.append(("billing_page.tax_csv", act_address(get_tax_report, **days, format="csv", download=1)))
    return found
