"""Previews of invoice runs: what they will bill."""

from collections.abc import Collection, Sequence
from datetime import date, datetime, time, timedelta

import msgspec

from haulier.contexts.billing.charges.queries import load_charge_time
from haulier.contexts.billing.charges.rules import ChargeTime
from haulier.contexts.billing.identities.queries import load_seller
from haulier.contexts.billing.invoice_runs import store
from haulier.contexts.billing.invoice_runs.contract import PreviewedInvoice
from haulier.contexts.billing.invoice_runs.rules import (
    BilledPart,
    CustomerSum,
    InvoiceCycle,
    RunWarning,
    merge_sums,
)
from haulier.contexts.billing.invoice_runs.store import PreviewTermsRow, UnbilledRow
from haulier.contexts.billing.invoices.contract import InvoiceTax
from haulier.contexts.billing.invoices.queries import load_settings
from haulier.contexts.billing.invoices.rules import (
    InvoicePeriod,
    covered_by_credit,
    document_tax,
    document_taxes,
    last_billed_day,
)
from haulier.contexts.billing.ports import PendingCharges
from haulier.contexts.billing.received_payments.queries import sum_waiting
from haulier.contexts.billing.taxes.queries import load_home, load_rounding
from haulier.contexts.billing.taxes.rules import TaxRounding, initial_rules, round_per_invoice
from haulier.contexts.identity.public import get_users_by_id
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.values.taxes import Tax, scale_taxes


def end_of_run(call: Call, cycle: InvoiceCycle | None, until: date | None) -> date:
    """Return the last day of the charges of a run."""
    period = InvoicePeriod(cycle.value) if cycle not in (None, InvoiceCycle.MANUAL) else None
    return until or last_billed_day(period, call.today)


async def charges_pending(call: Call) -> bool:
    """Return True if invoice runs charge pending services."""
    return await load_charge_time(call) is ChargeTime.ON_INVOICE_RUN


async def sum_customers(
    call: Call, until: date, cycle: InvoiceCycle | None, customer_ids: Collection[int] | None
) -> list[CustomerSum]:
    """Return what a run will bill to each customer, by customer and currency."""
    found = [
        CustomerSum(
            customer_id=row.customer_id,
            currency=row.currency,
            lines=row.lines,
            pending=0,
            total_minor=row.total_minor,
            balance_minor=row.balance_minor,
        )
        for row in await store.sum_unbilled(call.work, _end(call, until))
    ]
    if await charges_pending(call):
        found += [
            CustomerSum(
                customer_id=each.customer_id,
                currency=each.currency,
                lines=each.charges,
                pending=each.charges,
                total_minor=each.amount_minor,
                balance_minor=-each.amount_minor,
            )
            for each in await call.adapter(PendingCharges).sum_by_customer(call, until)
        ]
    cycles = await store.load_cycles(call.work) if cycle else {}
    return [
        each
        for each in merge_sums(found)
        if (customer_ids is None or each.customer_id in customer_ids)
        and (cycle is None or (cycles.get(each.customer_id) or InvoiceCycle.MANUAL.value) == cycle.value)
    ]


async def preview_invoices(call: Call, sums: Sequence[CustomerSum], until: date) -> list[PreviewedInvoice]:
    """Return the invoices of customers, with taxes and warnings.

    Takes a constant number of statements.
    """
    ids = {each.customer_id for each in sums}
    if not ids:
        return []
    names = await get_users_by_id(call, ids)
    terms = await store.list_preview_terms(call.work, ids)
    open_sums, waiting = await store.sum_open(call.work, ids), await sum_waiting(call, ids)
    expired = await store.find_expired_exemptions(call.work, ids, call.today)
    parts = await _load_parts(call, ids, until)
    settings, per_invoice = await load_settings(call), await load_rounding(call) is TaxRounding.INVOICE
    lacks_number = await _lacks_tax_number(call)
    previews: list[PreviewedInvoice] = []
    for each in sums:
        key = (each.customer_id, each.currency)
        of_customer = terms.get(each.customer_id)
        rate = (
            settings.tax_rate_bp if of_customer is None or of_customer.tax_rate_bp is None else of_customer.tax_rate_bp
        )
        lines = [(part.amount_minor, part.taxes) for part in parts if (part.customer_id, part.currency) == key]
        if per_invoice:
            lines = list(zip((amount for amount, _ in lines), round_per_invoice(lines), strict=True))
        tax = document_tax(lines, rate)
        available = each.balance_minor + open_sums.get(key, 0) - waiting.get(key, 0)
        covered = covered_by_credit(available, each.total_minor)
        previews.append(
            PreviewedInvoice(
                customer_id=each.customer_id,
                name=names[each.customer_id].name if each.customer_id in names else "",
                credit_currency=each.currency,
                lines=each.lines,
                pending=each.pending,
                net_minor=each.total_minor - tax,
                tax_minor=tax,
                total_minor=each.total_minor,
                covered_minor=covered,
                taxes=[record(InvoiceTax, one) for one in document_taxes(lines, settings.tax_name, rate, tax)],
                warnings=_warnings(
                    of_customer,
                    is_expired=each.customer_id in expired,
                    covered=covered,
                    lacks_number=lacks_number and tax != 0,
                ),
            )
        )
    return previews


async def _lacks_tax_number(call: Call) -> bool:
    """Return True if the business has not set a number that invoices must state.

    That is the law in each country with standard rates.
    """
    seller, home = await load_seller(call), await load_home(call)
    numbered = seller.vat_number or seller.tax_number
    return not numbered and home is not None and bool(initial_rules(home.country))


def _warnings(terms: PreviewTermsRow | None, *, is_expired: bool, covered: int, lacks_number: bool) -> list[RunWarning]:
    found = {
        RunWarning.EXEMPTION_EXPIRED: is_expired,
        RunWarning.CREDIT_LEFT: covered > 0,
        RunWarning.NO_BILLING_ADDRESS: terms is None or not terms.address_lines,
        RunWarning.NO_TAX_NUMBER: lacks_number,
    }
    return [warning for warning, applies in found.items() if applies]


async def _load_parts(call: Call, customer_ids: Collection[int], until: date) -> list[BilledPart]:
    parts = [_part(row) for row in await store.list_unbilled(call.work, customer_ids, _end(call, until))]
    if await charges_pending(call):
        parts += [
            BilledPart(
                customer_id=each.customer_id,
                currency=each.currency,
                amount_minor=each.amount_minor,
                taxes=each.taxes,
            )
            for each in await call.adapter(PendingCharges).list_pending(call, customer_ids, until)
        ]
    return parts


def _part(row: UnbilledRow) -> BilledPart:
    stated = msgspec.convert(row.taxes, list[Tax] | None) if row.has_line is not None else None
    return BilledPart(
        customer_id=row.customer_id,
        currency=row.currency,
        amount_minor=row.amount_minor,
        taxes=None if stated is None else scale_taxes(stated, row.amount_minor, row.charged_minor),
    )


def _end(call: Call, until: date) -> datetime:
    return datetime.combine(until + timedelta(days=1), time.min, tzinfo=call.time_zone)
