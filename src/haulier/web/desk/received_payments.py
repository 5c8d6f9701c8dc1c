"""Page of a received payment, and the form that allocates it to open invoices."""

import secrets
from collections.abc import Mapping
from typing import Any

from starlette.responses import RedirectResponse, Response

from haulier.contexts.billing.invoices.operations import list_invoices
from haulier.contexts.billing.invoices.rules import InvoiceKind, InvoiceStatus
from haulier.contexts.billing.payment_allocations.operations import (
    allocate_payment,
    get_received_payment,
    undo_allocation,
)
from haulier.web.desk.amounts import TypedAmounts, amount_style, read_amounts, suggested_amounts
from haulier.web.desk.pages import DeskRequest, list_problems, not_found, parse_number, plain_answer
from haulier.web.desk.pickers import load_names
from haulier.web.operations_client import read_form

ADDRESS = "/desk/allocate-payment"
INVOICES_SHOWN = 60
"""Maximum number of invoices in the form."""
INVOICES_READ = 600
PER_PAGE = 200


async def load_received_payment(desk: DeskRequest, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the operation that undoes an allocation, if the user may run it."""
    return {"undo": undo_allocation if desk.may(undo_allocation) else None}


async def allocate_payment_page(desk: DeskRequest) -> Response:
    """Show the open invoices of the customer with suggested amounts."""
    payment = await _read_payment(desk, desk.number("received_payment_id"))
    if payment is None:
        return not_found(desk)
    suggested, problem = await _suggest(desk, payment)
    invoices, total = await _open_invoices(desk, payment, suggested)
    ids = [each["id"] for each in invoices]
    amounts = suggested_amounts(desk, suggested, ids, payment["credit_currency"])
    return await _page(desk, payment, invoices, amounts, total=total, problem=problem)


async def submit_allocation(desk: DeskRequest) -> Response:
    """Allocate the amounts of the form, all or none."""
    form = await read_form(desk.request)
    payment = await _read_payment(desk, parse_number(form.get("received_payment_id", "")))
    if payment is None:
        return not_found(desk)
    named = {number for name in form if (number := parse_number(name.removeprefix("amount-"))) is not None}
    invoices, total = await _open_invoices(desk, payment, named)
    ids = sorted(named | {each["id"] for each in invoices})
    amounts = read_amounts(desk, form, "amount-", ids, payment["credit_currency"])
    problem, status = "", 422
    if not desk.session.is_genuine_form(desk.request, form):
        problem, status = desk.say("sign_in.again"), 403
    elif not amounts.minor and not amounts.faults:
        problem = desk.say("allocate_page.none_entered")
    elif not amounts.faults:
        asked = [{"invoice_id": id, "amount_minor": minor} for id, minor in amounts.minor.items()]
        values = {"received_payment_id": payment["id"], "allocations": asked}
        result = await desk.call(allocate_payment, values, idempotency_key=form.get("once"))
        if result.error is None:
            return RedirectResponse(f"/desk/received-payments/{payment['id']}?done={allocate_payment.name}", 303)
        problem, status = list_problems(result)[0], result.status
    return await _page(desk, payment, invoices, amounts, total=total, problem=problem, status_code=status)


async def _read_payment(desk: DeskRequest, payment_id: int | None) -> dict[str, Any] | None:
    if payment_id is None or not desk.may(allocate_payment):
        return None
    answer = await desk.read_if_allowed(get_received_payment, received_payment_id=payment_id)
    payment: dict[str, Any] | None = answer.get("received_payment")
    return payment


async def _suggest(desk: DeskRequest, payment: Mapping[str, Any]) -> tuple[dict[int, int], str]:
    """Return the amounts by invoice of an automatic allocation, or a problem."""
    if not payment.get("unallocated_minor"):
        return {}, ""
    result = await desk.call(allocate_payment, {"received_payment_id": payment["id"]}, dry_run=True)
    if result.error is not None:
        return {}, list_problems(result)[0]
    known = {each["id"] for each in payment["allocations"]}
    after = plain_answer(result)["received_payment"]["allocations"]
    return {each["invoice_id"]: each["amount_minor"] for each in after if each["id"] not in known}, ""


async def _open_invoices(
    desk: DeskRequest, payment: Mapping[str, Any], named: Mapping[int, int] | set[int]
) -> tuple[list[dict[str, Any]], int]:
    """Return the invoices of the form, longest due first, and how many are open.

    Named invoices come first when there are too many.
    """
    asked = {"customer_id": payment["customer_id"], "currency": payment["credit_currency"], "per_page": PER_PAGE}
    asked |= {"kind": InvoiceKind.INVOICE.value, "status": InvoiceStatus.OPEN.value}
    found: list[dict[str, Any]] = []
    total = 0
    for page in range(1, INVOICES_READ // PER_PAGE + 1):
        answer = await desk.read_if_allowed(list_invoices, **asked, page=page)
        found += answer.get("invoices") or []
        total = answer.get("total", 0)
        if len(found) >= total:
            break
    by_age = sorted(found, key=lambda each: (each["due_on"], each["id"]))
    shown = sorted(by_age, key=lambda each: each["id"] not in named)[:INVOICES_SHOWN]
    return sorted(shown, key=lambda each: (each["due_on"], each["id"])), total


async def _page(
    desk: DeskRequest,
    payment: dict[str, Any],
    invoices: list[dict[str, Any]],
    amounts: TypedAmounts,
    *,
    total: int,
    problem: str = "",
    status_code: int = 200,
) -> Response:
    await load_names(desk, [payment], ["customer_id"])
    currency, left = payment["credit_currency"], payment.get("unallocated_minor") or 0
    allocated = sum(amounts.minor.values())
    return desk.page(
        "desk_allocate_payment.html",
        status_code=status_code,
        payment=payment,
        invoices=invoices,
        total=total,
        left=left,
        amounts=amounts,
        sums={"credit_currency": currency, "amount_minor": allocated, "unallocated_minor": left - allocated},
        style=amount_style(desk, currency),
        operation=allocate_payment,
        problem=problem,
        once=secrets.token_urlsafe(16),
        call=allocate_payment,
        values={"received_payment_id": payment["id"]},
    )
