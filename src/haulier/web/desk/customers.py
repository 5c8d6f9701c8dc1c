"""Customers: the list with orders and debts, a customer's page and portal."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from msgspec import structs
from starlette.responses import Response

from haulier.contexts.billing.invoices.operations import (
    get_billing_terms,
    issue_invoice,
    list_invoices,
    set_billing_terms,
)
from haulier.contexts.billing.ledger.operations import (
    adjust_credit,
    get_credit_statement,
    list_customer_credits,
    set_credit_limit,
)
from haulier.contexts.billing.payment_allocations.operations import top_up_credit
from haulier.contexts.control_tower.overview.operations import get_customer_activity
from haulier.contexts.identity.accounts.operations import disable_user, enable_user, get_user, set_price_visibility
from haulier.contexts.identity.invitations.operations import invite_user, list_invitations, resend_invitation
from haulier.contexts.identity.members.operations import (
    find_customers,
    get_customer_settings,
    update_customer_settings,
)
from haulier.contexts.orders.delivery_orders.operations.create import create_order
from haulier.contexts.orders.delivery_orders.operations.query import get_orders
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OPEN_STATUS_NAMES
from haulier.contexts.places.address_book.operations.addresses import create_address, list_addresses
from haulier.kernel.operations.enums import Account
from haulier.web.desk.live_parts import LivePart
from haulier.web.desk.pages import DeskRequest, not_found
from haulier.web.desk.places import act_address
from haulier.web.desk.shop import ERRANDS, STUCK, UNDER_WAY

CUSTOMERS = "/desk/customers"
PER_PAGE = 50
ORDERS_SHOWN, INVOICES_SHOWN, ADDRESSES_SHOWN, INVITATIONS_READ = 10, 8, 6, 100
OWN_BUTTONS = frozenset(
    {update_customer_settings.name, set_price_visibility.name, set_credit_limit.name, adjust_credit.name}
    | {top_up_credit.name, set_billing_terms.name, disable_user.name, enable_user.name}
)
"""Actions with a button of their own on the page."""


async def customers_page(desk: DeskRequest) -> Response:
    """Show customers with open orders, unpaid invoices and hidden prices."""
    found = await load_customers(desk)
    if found is None:
        return not_found(desk)
    return desk.page(
        "desk_customers.html",
        **found,
        **CUSTOMERS_PART.shown(desk, found),
        done=desk.places.registry.get(desk.request.query_params.get("done", "")),
        call=find_customers,
        values=asked_page(desk),
    )


def asked_page(desk: DeskRequest) -> dict[str, Any]:
    """Return the search text and page of the address."""
    text = desk.texts.get("search", [""])[-1].strip()
    return {**({"search": text} if text else {}), "page": desk.page_number, "per_page": PER_PAGE}


async def load_customers(desk: DeskRequest) -> dict[str, Any] | None:
    """Return a page of customers with their activity, in a constant number of reads."""
    asked = asked_page(desk)
    found = await desk.read_if_allowed(find_customers, **asked)
    if not found:
        return None
    ids = [each["customer_id"] for each in found["customers"]]
    told = await desk.read_if_allowed(get_customer_activity, customer_ids=ids) if ids else {}
    activity = {each["customer_id"]: each for each in told.get("customers") or []}
    return {
        "customers": found["customers"],
        "total": found["total"],
        "activity": activity,
        "searched": "search" in asked,
        "add": act_address(invite_user, account="customer", back=CUSTOMERS) if desk.may(invite_user) else None,
        "open_orders": orders_address,
    }


def orders_address(customer_id: int) -> str:
    """Return the address of a customer's open orders."""
    return f"/desk/orders?{urlencode({'customer_id': customer_id, 'statuses': sorted(OPEN_STATUS_NAMES)}, doseq=True)}"


async def load_customer(desk: DeskRequest, customer: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page of a customer shows besides their settings."""
    id: int = customer["customer_id"]
    told = await desk.read_if_allowed(get_customer_activity, customer_ids=[id])
    orders = await desk.read_if_allowed(get_orders, customer_id=id, per_page=ORDERS_SHOWN)
    invoices = await desk.read_if_allowed(list_invoices, customer_id=id, per_page=INVOICES_SHOWN)
    credits = await desk.read_if_allowed(list_customer_credits, customer_id=id)
    terms = await desk.read_if_allowed(get_billing_terms, customer_id=id)
    addresses = await desk.read_if_allowed(list_addresses, customer_id=id, per_page=ADDRESSES_SHOWN)
    user = await desk.read_if_allowed(get_user, user_id=id)
    return {
        "activity": next(iter(told.get("customers") or []), None),
        "orders": orders,
        "open_orders": orders_address(id),
        "invoices": with_currency(invoices.get("invoices") or []),
        "more_invoices": invoices.get("total", 0) > INVOICES_SHOWN,
        "credits": with_currency(credits.get("credits") or []),
        "terms": terms,
        "addresses": addresses.get("addresses") or [],
        "more_addresses": addresses.get("total", 0) > ADDRESSES_SHOWN,
        "user": user.get("user") or {},
        "invitation": await _invitation(desk, id),
        **_buttons(desk, id, customer),
    }


def _buttons(desk: DeskRequest, id: int, customer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the addresses of the buttons."""
    back = f"{CUSTOMERS}/{id}"
    named = {"customer_id": id, "back": back}
    on_page = {
        "new_order": (create_order, {"customer_id": id}),
        "edit": (update_customer_settings, named),
        "prices": (set_price_visibility, named),
        "pay_in": (top_up_credit, named),
        "limit": (set_credit_limit, named),
        "adjust": (adjust_credit, named),
        "statement": (get_credit_statement, {"customer_id": id}),
        "invoice": (issue_invoice, named),
        "terms_edit": (set_billing_terms, named),
        "address": (create_address, named),
        "switch": (disable_user if customer["active"] else enable_user, {"user_id": id, "back": back}),
    }
    return {
        "without_button": OWN_BUTTONS,
        "at": {name: act_address(act, **values) for name, (act, values) in on_page.items() if desk.may(act)},
    }


async def _invitation(desk: DeskRequest, id: int) -> dict[str, Any] | None:
    """Return the pending invitation of a customer, and where to send it again."""
    found = await desk.read_if_allowed(list_invitations, status="pending", per_page=INVITATIONS_READ)
    for each in found.get("invitations") or []:
        if each["user_id"] == id:
            back = f"{CUSTOMERS}/{id}"
            return {**each, "resend": act_address(resend_invitation, invitation_id=each["id"], back=back)}
    return None


def with_currency(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return records whose amounts are shown in the currency of their account."""
    return [{**each, "currency": each["credit_currency"]} for each in records]


async def portal_page(desk: DeskRequest) -> Response:
    """Show the home page of a customer as they see it, read-only."""
    id: int = desk.request.path_params["customer_id"]
    customer = await desk.read(get_customer_settings, {"customer_id": id}) if desk.may(get_customer_settings) else None
    if customer is None:
        return not_found(desk)
    as_customer = structs.replace(desk.session, account=Account.CUSTOMER)
    under_way = await desk.read_if_allowed(get_orders, customer_id=id, statuses=list(UNDER_WAY), per_page=PER_PAGE)
    stuck = await desk.read_if_allowed(get_orders, customer_id=id, statuses=list(STUCK), per_page=PER_PAGE)
    invoices = await desk.read_if_allowed(list_invoices, customer_id=id, status="open", per_page=INVOICES_SHOWN)
    credits = await desk.read_if_allowed(list_customer_credits, customer_id=id)
    hidden = bool(customer["hidden_prices"])
    errands = [(name, desk.find(operation)) for name, operation in ERRANDS]
    return desk.page(
        "desk_customer_portal.html",
        customer=customer,
        errands=[name for name, act in errands if act and DeskRequest(desk.request, as_customer, desk.places).may(act)],
        under_way=under_way.get("orders") or [],
        under_way_total=under_way.get("total") or 0,
        stuck=stuck.get("orders") or [],
        invoices=_as_seen(with_currency(invoices.get("invoices") or []), hidden=hidden),
        credits=[] if hidden else _used(with_currency(credits.get("credits") or [])),
        all_orders=f"/desk/orders?customer_id={id}",
    )


def _as_seen(invoices: Sequence[Mapping[str, Any]], *, hidden: bool) -> list[dict[str, Any]]:
    """Return invoices without amounts if prices are hidden from the customer."""
    return [{name: value for name, value in each.items() if not (hidden and name == "due_minor")} for each in invoices]


def _used(credits: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each for each in credits if each.get("balance_minor") or each["limit_minor"]]


CUSTOMERS_PART = LivePart(
    name="customers",
    template="desk_customers_live.html",
    load=load_customers,
    reads=(find_customers, get_customer_activity),
    about=("user", "order", "invoice"),
    pause_s=5.0,
)
