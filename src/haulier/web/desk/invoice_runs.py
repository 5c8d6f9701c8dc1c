"""Pages of invoice runs: preview by cycle and period, progress, outcomes."""

import secrets
from typing import Any

from starlette.responses import RedirectResponse, Response

from haulier.contexts.billing.invoice_runs.operations import (
    cancel_invoice_run,
    get_invoice_run,
    list_invoice_run_customers,
    list_invoice_runs,
    preview_invoice_run,
    retry_invoice_run,
    send_invoice_run,
    start_invoice_run,
)
from haulier.contexts.billing.invoice_runs.rules import InvoiceCycle
from haulier.contexts.orders.order_charges.operations import list_uncharged_orders
from haulier.kernel.values.batch_states import UNFINISHED
from haulier.web.desk.pages import DeskRequest, not_found, parse_page, plain_answer
from haulier.web.operations_client import read_form_fields

PER_PAGE = 100
RUNS_SHOWN = 8
ADDRESS = "/desk/invoice-run"


async def invoice_run_page(desk: DeskRequest) -> Response:
    """Show the preview of the cycle and period in the address."""
    if not desk.may(preview_invoice_run):
        return not_found(desk)
    return await _preview(desk, _asked({name: texts[-1] for name, texts in desk.texts.items()}))


async def start_run(desk: DeskRequest) -> Response:
    """Start the run of the form, and lead to its progress."""
    if not desk.may(start_invoice_run):
        return not_found(desk)
    form = dict(await read_form_fields(desk.request))
    asked = _asked(form)
    if not desk.session.is_genuine_form(desk.request, form):
        return await _preview(desk, asked, problem=desk.say("sign_in.again"), status_code=403)
    values = {**asked, "send": "send" in form}
    values.pop("page", None)
    result = await desk.call(start_invoice_run, values, idempotency_key=form.get("once"))
    if result.error is not None:
        return await _preview(desk, asked, problem=result.error["message"], status_code=result.status)
    return RedirectResponse(f"{ADDRESS}/{plain_answer(result)['invoice_run']['id']}", 303)


async def invoice_run_progress_page(desk: DeskRequest) -> Response:
    """Show a run with its progress, outcomes and next actions."""
    named = {"invoice_run_id": desk.request.path_params["run_id"]}
    found = await desk.read_if_allowed(get_invoice_run, **named)
    if not found:
        return not_found(desk)
    run = found["invoice_run"]
    page = desk.page_number
    customers = await desk.read(list_invoice_run_customers, {**named, "per_page": PER_PAGE, "page": page}) or {}
    return desk.page(
        "desk_invoice_run.html",
        run=run,
        customers=customers.get("customers") or [],
        more=customers.get("total", 0) > PER_PAGE * page,
        next_page=desk.link_with(page=page + 1),
        under_way=run["state"] in UNFINISHED,
        acts=[each.name for each in _acts(run) if desk.may(each)],
        once=secrets.token_urlsafe(16),
        call=get_invoice_run,
        values=named,
    )


def _acts(run: dict[str, Any]) -> list[Any]:
    """Return the actions that a run allows, the most important first."""
    if run["state"] in UNFINISHED:
        return [cancel_invoice_run]
    unsent = any(each["sent"] < each["invoices"] for each in run["sums"])
    retry = [retry_invoice_run] if run["failed"] and run["state"] != "cancelled" else []
    return [*retry, *([send_invoice_run] if unsent and not run["send"] else [])]


def _asked(texts: dict[str, str]) -> dict[str, Any]:
    """Return the cycle and period of an address or a form, without empty fields."""
    asked: dict[str, Any] = {name: texts[name] for name in ("cycle", "until") if texts.get(name)}
    return {**asked, "page": parse_page(texts["page"])} if texts.get("page") else asked


async def _preview(
    desk: DeskRequest, asked: dict[str, Any], *, problem: str | None = None, status_code: int = 200
) -> Response:
    result = await desk.call(preview_invoice_run, {**asked, "per_page": PER_PAGE})
    found = plain_answer(result) if result.error is None else {}
    problem = problem or (result.error["message"] if result.error else None)
    page = found.get("page", 1)
    runs = await desk.read_if_allowed(list_invoice_runs, per_page=RUNS_SHOWN)
    waiting = await desk.read_if_allowed(list_uncharged_orders, limit=1)
    return desk.page(
        "desk_invoice_runs.html",
        status_code=status_code,
        found=found,
        asked=asked,
        cycles=[cycle.value for cycle in InvoiceCycle],
        problem=problem,
        more=found.get("total", 0) > page * PER_PAGE,
        next_page=desk.link_with(page=page + 1),
        runs=runs.get("invoice_runs") or [],
        waiting=[each for each in waiting.get("sums") or [] if each["orders"]],
        may_start=desk.may(start_invoice_run),
        once=secrets.token_urlsafe(16),
        call=preview_invoice_run,
        values=asked,
    )
