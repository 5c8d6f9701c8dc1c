"""The page of a batch of labels: progress, failures, and printing in order."""

import secrets
from collections import defaultdict
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from haulier.contexts.documents.issued.operations import get_document, get_document_file, issue_document
from haulier.contexts.shipping.labels.operations.shipments import cancel_shipping_label
from haulier.contexts.shipping.package_presets.operations import list_package_presets
from haulier.contexts.shipping.ship_jobs.operations import get_ship_job, ship_orders
from haulier.kernel.values.batch_states import UNFINISHED
from haulier.web.desk.pages import DeskRequest, list_problems, not_found, plain_answer
from haulier.web.desk.places import act_address
from haulier.web.operations_client import read_form

BATCHES = "/desk/ship/batches"
SORTS = ("shelf", "reference", "queue")
PRINTED_STATES = frozenset({"purchased", "in_transit", "delivered"})


async def batch_page(desk: DeskRequest) -> Response:
    """Show a batch with its outcomes and its printed labels."""
    return await _page(desk, desk.texts.get("sort", [""])[-1])


async def print_batch(desk: DeskRequest) -> Response:
    """Issue the labels of a batch as one file, in the order of the form."""
    form = await read_form(desk.request)
    sort = form.get("sort", "")
    if not desk.session.is_genuine_form(desk.request, form):
        return await _page(desk, sort, problem=desk.say("sign_in.again"), status_code=403)
    found = await _read(desk, sort)
    if not found:
        return not_found(desk)
    ids = [each["shipment_id"] for each in found["outcomes"] if each["shipment_state"] in PRINTED_STATES]
    asked = {"kind": "labels", "shipment_ids": ids}
    result = await desk.call(issue_document, asked, idempotency_key=form.get("once"))
    if result.error is not None:
        return await _page(desk, sort, problem=" ".join(list_problems(result)), status_code=result.status)
    query = {"sort": sort, "document": plain_answer(result)["document"]["id"]}
    return RedirectResponse(f"{desk.request.url.path}?{urlencode(query)}", 303)


async def _read(desk: DeskRequest, sort: str) -> dict[str, Any]:
    named = {"ship_job_id": desk.request.path_params["job_id"]}
    return await desk.read_if_allowed(get_ship_job, **named, **({"sort": sort} if sort in SORTS else {}))


async def _page(desk: DeskRequest, sort: str, *, problem: str | None = None, status_code: int = 200) -> Response:
    found = await _read(desk, sort)
    if not found:
        return not_found(desk)
    job, outcomes = found["ship_job"], found["outcomes"]
    failed = [each for each in outcomes if each["state"] == "refused" or each["shipment_state"] == "failed"]
    labels = [each for each in outcomes if each["shipment_state"] in PRINTED_STATES]
    if sort not in SORTS:
        sort = "shelf" if any(each["shelf"] for each in labels) else "reference"
    document = await _document(desk)
    under_way = job["state"] in UNFINISHED
    return desk.page(
        "desk_ship_batch.html",
        status_code=status_code,
        job=job,
        under_way=under_way,
        refreshes=under_way or bool(document and document["state"] == "queued"),
        failed=failed,
        outcomes=[each for each in outcomes if each not in failed],
        labels=labels,
        totals=_totals(labels),
        with_shelf=any(each["shelf"] for each in outcomes),
        sort=sort,
        sorts=SORTS,
        document=document,
        download=document and act_address(get_document_file, document_id=document["id"], download=1),
        void=cancel_shipping_label if desk.may(cancel_shipping_label) else None,
        done=_done(desk),
        may_ship=desk.may(ship_orders),
        presets=(await desk.read_if_allowed(list_package_presets)).get("package_presets") or [] if failed else [],
        problem=problem,
        once=secrets.token_urlsafe(16),
        call=get_ship_job,
        values={"ship_job_id": job["id"]},
    )


def _done(desk: DeskRequest) -> Any:
    return desk.find(desk.texts.get("done", [""])[-1])


async def _document(desk: DeskRequest) -> dict[str, Any] | None:
    number = desk.number("document")
    answer = await desk.read_if_allowed(get_document, document_id=number) if number else {}
    return answer.get("document")


def _totals(labels: list[dict[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the sum of the prices by currency."""
    sums: defaultdict[str, int] = defaultdict(int)
    for each in labels:
        if each.get("shipping_price") is not None and each.get("currency"):
            sums[each["currency"]] += each["shipping_price"]
    return [{"currency": currency, "shipping_price": minor} for currency, minor in sorted(sums.items())]
