"""Credit an invoice by line, and void it: choose, preview, confirm."""

import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from haulier.contexts.billing.einvoices.operations import get_invoice_ubl
from haulier.contexts.billing.invoices.operations import (
    credit_invoice,
    get_invoice,
    get_invoice_file,
    void_invoice,
)
from haulier.contexts.billing.invoices.rules import LINES_MAX, InvoiceKind
from haulier.kernel.operations.fields import REASON_MAX
from haulier.kernel.values.taxes import percent_text
from haulier.web.desk.amounts import TypedAmounts, amount_style, read_amounts, suggested_amounts
from haulier.web.desk.pages import DeskRequest, list_problems, not_found, parse_number, plain_answer
from haulier.web.desk.pickers import load_names
from haulier.web.operations_client import read_form_fields

CREDIT_ADDRESS, VOID_ADDRESS = "/desk/credit-invoice", "/desk/void-invoice"
FIELDS_MAX = 2 * LINES_MAX + 10
FORM_MAX_BYTES = 64 * FIELDS_MAX
NO_REASON = "-"
"""Reason of a dry run before the reason is typed."""


async def credit_invoice_page(desk: DeskRequest) -> Response:
    """Show the lines of an invoice that can be credited, or an issued credit note."""
    if not desk.may(credit_invoice):
        return not_found(desk)
    note = await _read_invoice(desk, desk.number("note"))
    if note is not None and note["kind"] == InvoiceKind.CREDIT_NOTE:
        return await _issued_page(desk, note)
    invoice = await _read_invoice(desk, desk.number("invoice_id"))
    if invoice is None:
        return not_found(desk)
    ticked = {id for text in desk.texts.get("transfer_id", []) if (id := parse_number(text))}
    return await _form_page(desk, invoice, _remainders(desk, invoice), ticked)


async def submit_credit(desk: DeskRequest) -> Response:
    """Preview the credit note of the form, or issue it."""
    given = await read_form_fields(desk.request, FORM_MAX_BYTES, FIELDS_MAX)
    form = dict(given)
    invoice = await _read_invoice(desk, parse_number(form.get("invoice_id", "")))
    if invoice is None or not desk.may(credit_invoice):
        return not_found(desk)
    ticked = {id for name, text in given if name == "line" and (id := parse_number(text))}
    left = _creditable(invoice)
    amounts = read_amounts(desk, form, "amount-", [*left, *(ticked - left.keys())], invoice["credit_currency"])
    reason = form.get("reason", "").strip()
    problem, status = _form_problem(desk, form, ticked, reason), 422
    if not desk.session.is_genuine_form(desk.request, form):
        problem, status = desk.say("sign_in.again"), 403
    if problem or form.get("step") == "edit" or amounts.faults.keys() & ticked:
        return await _form_page(desk, invoice, amounts, ticked, reason, problem, status if problem else 200)
    asked = [{"transfer_id": id, "amount_minor": amounts.minor.get(id)} for id in sorted(ticked)]
    values = {"invoice_id": invoice["id"], "charges": asked, "reason": reason}
    if form.get("step") != "issue":
        result = await desk.call(credit_invoice, values, dry_run=True)
        if result.error is None:
            return await _preview_page(desk, invoice, plain_answer(result), reason)
    else:
        result = await desk.call(credit_invoice, values, idempotency_key=form.get("once"))
        if result.error is None:
            made = {"note": plain_answer(result)["invoice"]["id"]}
            return RedirectResponse(f"{CREDIT_ADDRESS}?{urlencode(made)}", 303)
    return await _form_page(desk, invoice, amounts, ticked, reason, list_problems(result)[0], result.status)


def _form_problem(desk: DeskRequest, form: Mapping[str, str], ticked: set[int], reason: str) -> str:
    if form.get("step") == "edit":
        return ""
    if not ticked:
        return desk.say("credit_page.none_selected")
    return "" if reason else desk.say("credit_page.no_reason")


async def _read_invoice(desk: DeskRequest, invoice_id: int | None) -> dict[str, Any] | None:
    answer = await desk.read_if_allowed(get_invoice, invoice_id=invoice_id) if invoice_id else {}
    invoice: dict[str, Any] | None = answer.get("invoice")
    return invoice


def _creditable(invoice: Mapping[str, Any]) -> dict[int, int]:
    """Return what is left of each charge."""
    return {line["transfer_id"]: line["refundable_minor"] for line in invoice["lines"] if line.get("refundable_minor")}


def _remainders(desk: DeskRequest, invoice: Mapping[str, Any]) -> TypedAmounts:
    left = _creditable(invoice)
    return suggested_amounts(desk, left, left, invoice["credit_currency"])


async def _form_page(
    desk: DeskRequest,
    invoice: dict[str, Any],
    amounts: TypedAmounts,
    ticked: set[int],
    reason: str = "",
    problem: str = "",
    status_code: int = 200,
) -> Response:
    sum_minor = sum(minor for id, minor in amounts.minor.items() if id in ticked)
    return await _page(
        desk,
        "desk_credit_invoice.html",
        invoice,
        status_code=status_code,
        creditable=credit_invoice.is_allowed_by(invoice) and bool(_creditable(invoice)),
        amounts=amounts,
        ticked=ticked,
        sums={"credit_currency": invoice["credit_currency"], "total_minor": sum_minor},
        style=amount_style(desk, invoice["credit_currency"]),
        reason=reason,
        reason_max=REASON_MAX,
        problem=problem,
        call=credit_invoice,
    )


async def _preview_page(desk: DeskRequest, invoice: dict[str, Any], answer: dict[str, Any], reason: str) -> Response:
    note = answer["invoice"]
    amounts = {line["charge_id"]: line["amount_minor"] for line in note["lines"]}
    return await _page(
        desk,
        "desk_credit_preview.html",
        invoice,
        note=note,
        typed=suggested_amounts(desk, amounts, amounts, invoice["credit_currency"]).texts,
        effect=_effect(invoice, answer),
        reason=reason,
        once=secrets.token_urlsafe(16),
        call=credit_invoice,
    )


def _effect(invoice: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the effect of a credit note on the money, with the amount due after it."""
    reduced = answer.get("due_reduced_minor", 0)
    return {
        "credit_currency": invoice["credit_currency"],
        "due_reduced_minor": reduced,
        "to_credit_minor": answer.get("to_credit_minor", 0),
        "due_minor": invoice.get("due_minor", 0) - reduced,
    }


async def _issued_page(desk: DeskRequest, note: dict[str, Any]) -> Response:
    invoice = await _read_invoice(desk, note["refers_to"])
    files = [(name, each) for name, each in (("PDF", get_invoice_file), ("UBL", get_invoice_ubl)) if desk.may(each)]
    return await _page(desk, "desk_credit_issued.html", invoice or note, note=note, files=files, call=get_invoice)


async def void_invoice_page(desk: DeskRequest) -> Response:
    """Show the consequences of voiding an invoice, or why it cannot be voided."""
    invoice = await _read_invoice(desk, desk.number("invoice_id"))
    if invoice is None or not desk.may(void_invoice):
        return not_found(desk)
    return await _void_page(desk, invoice)


async def submit_void(desk: DeskRequest) -> Response:
    """Void the invoice of the form."""
    form = dict(await read_form_fields(desk.request))
    invoice = await _read_invoice(desk, parse_number(form.get("invoice_id", "")))
    if invoice is None or not desk.may(void_invoice):
        return not_found(desk)
    reason = form.get("reason", "").strip()
    if not desk.session.is_genuine_form(desk.request, form):
        return await _void_page(desk, invoice, reason, desk.say("sign_in.again"), 403)
    if not reason:
        return await _void_page(desk, invoice, reason, desk.say("credit_page.no_reason"), 422)
    values = {"invoice_id": invoice["id"], "reason": reason}
    result = await desk.call(void_invoice, values, idempotency_key=form.get("once"))
    if result.error is not None:
        return await _void_page(desk, invoice, reason, list_problems(result)[0], result.status)
    return RedirectResponse(f"/desk/invoices/{invoice['id']}?done={void_invoice.name}", 303)


async def _void_page(
    desk: DeskRequest, invoice: dict[str, Any], reason: str = "", problem: str = "", status_code: int = 200
) -> Response:
    tried = await desk.call(void_invoice, {"invoice_id": invoice["id"], "reason": NO_REASON}, dry_run=True)
    return await _page(
        desk,
        "desk_void_invoice.html",
        invoice,
        status_code=status_code,
        refused=list_problems(tried)[0] if tried.error else "",
        credit=credit_invoice if desk.may(credit_invoice) and credit_invoice.is_allowed_by(invoice) else None,
        reason=reason,
        reason_max=REASON_MAX,
        problem=problem,
        once=secrets.token_urlsafe(16),
        call=void_invoice,
    )


async def _page(desk: DeskRequest, template: str, invoice: dict[str, Any], **values: Any) -> Response:
    await load_names(desk, [invoice], ["customer_id"])
    named = {"invoice_id": invoice["id"]}
    return desk.page(template, invoice=invoice, percent=percent_text, values=named, **values)
