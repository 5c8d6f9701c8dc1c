"""Receivables by customer and age, each amount with its invoices."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct
from starlette.responses import Response

from haulier.contexts.billing.receivables.operations import get_receivables
from haulier.web.desk.pages import DeskRequest, not_found
from haulier.web.desk.places import act_address

PER_PAGE = 50


class AgedAmount(Struct, frozen=True):
    """An amount of an age bracket, and the address of its invoices."""

    name: str
    minor: int
    address: str


async def receivables_page(desk: DeskRequest) -> Response:
    """Show a page of customers with open invoices."""
    if not desk.may(get_receivables):
        return not_found(desk)
    values = {"page": desk.page_number, "per_page": PER_PAGE}
    return desk.page(
        "desk_receivables.html",
        receivables=await load_receivables(desk, **values),
        per_page=PER_PAGE,
        export=act_address(get_receivables, format="csv", download=1),
        call=get_receivables,
        values=values,
    )


async def load_receivables(desk: DeskRequest, **values: Any) -> dict[str, Any]:
    """Return receivables by age, or nothing without access."""
    found = await desk.read_if_allowed(get_receivables, **values)
    if not found:
        return {}
    return {**found, "receivables": [(row, _amounts(row, found["ages"])) for row in found["receivables"]]}


def _amounts(row: Mapping[str, Any], ages: Sequence[Mapping[str, Any]]) -> list[AgedAmount]:
    return [
        AgedAmount(name, row.get(name, 0), _invoices_due(row, age))
        for age in ages
        for name in (f"{age['name']}_minor",)
    ]


def _invoices_due(row: Mapping[str, Any], age: Mapping[str, Any]) -> str:
    limits = {name: age[name] for name in ("due_from", "due_to") if age[name]}
    asked = {"kind": "invoice", "status": "open", "customer_id": row["customer_id"], "currency": row["credit_currency"]}
    return f"/desk/invoices?{urlencode({**asked, **limits})}"
