"""Home page of customers: create orders, follow them, see problems and payments."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from haulier.contexts.billing.invoices.operations import list_invoices
from haulier.contexts.billing.ledger.operations import get_account_credits
from haulier.contexts.booking.reservations.operations.zones import find_bookable_windows
from haulier.contexts.orders.delivery_orders.operations.create import create_order
from haulier.contexts.orders.delivery_orders.operations.query import get_orders
from haulier.contexts.orders.order_imports.operations import import_orders
from haulier.kernel.operations.declaration import Operation
from haulier.web.desk.live_parts import LivePart
from haulier.web.desk.pages import DeskRequest
from haulier.web.desk.places import act_address

Op = Operation[Any, Any]
SHOWN = 8
UNDER_WAY = ("NEW_ORDER", "PLANNED", "PICKED_UP", "OUT_FOR_DELIVERY")
STUCK = ("FAILED", "HOLD")
ERRANDS = (
    ("order", create_order.name),
    ("file", import_orders.name),
    ("label", "quote_and_ship"),
    ("window", find_bookable_windows.name),
)
"""Frequent customer tasks with their operations, most frequent first."""


class Errand(Struct, frozen=True):
    """Something that a customer comes for, with its page."""

    name: str
    address: str


class CustomerOffer(Struct, frozen=True):
    """A service offered to customers, with its order form."""

    name: str
    text: str
    address: str


async def shop_page(desk: DeskRequest) -> Response:
    """The first page of a customer. What is not for them, or not offered, is left out."""
    return desk.page(
        "desk_shop.html",
        errands=list(_errands(desk)),
        offers=await list_offers(desk),
        **SHOP.shown(desk, await load_shop(desk)),
        call=get_orders if desk.may(get_orders) else None,
        values={"statuses": list(UNDER_WAY), "per_page": SHOWN},
    )


def _errands(desk: DeskRequest) -> Iterator[Errand]:
    for name, operation in ERRANDS:
        act = desk.find(operation)
        if act and desk.may(act):
            yield Errand(name, act_address(act))


async def list_offers(desk: DeskRequest) -> list[CustomerOffer]:
    """Return the offers of the business: services, storage, ship-outs and devices."""
    shipping = await desk.read_if_allowed(desk.find("list_shipping_services"))
    stored = await desk.read_if_allowed(desk.find("list_shipout_services"))
    storage = await desk.read_if_allowed(desk.find("get_storage_order_config"))
    devices = await desk.read_if_allowed(desk.find("list_device_products"), active=True, per_page=1)
    return [
        *_offers_of(desk.find("create_shipping_order"), shipping.get("services"), "code"),
        *_offers_of(desk.find("create_shipout"), stored.get("services"), "service_code"),
        *_offer_of_kind(desk, desk.find("create_storage_order"), storage.get("services")),
        *_offer_of_kind(desk, desk.find("create_device_order"), devices.get("products")),
    ]


def _offers_of(act: Op | None, services: Sequence[Mapping[str, Any]] | None, code: str) -> list[CustomerOffer]:
    """One for each service: the form knows which is meant."""
    return [
        CustomerOffer(each["name"], each["description"], act_address(act, service_code=each[code]))
        for each in services or []
        if act
    ]


def _offer_of_kind(
    desk: DeskRequest, act: Op | None, offered: Sequence[Mapping[str, Any]] | None
) -> list[CustomerOffer]:
    """One for all that is chosen on the same form; none where nothing is offered."""
    names = ", ".join(each["name"] for each in offered or [])
    return [CustomerOffer(desk.reader.title(act).text, names, act_address(act))] if act and names else []


async def load_shop(desk: DeskRequest) -> dict[str, Any]:
    """Return problems, orders in progress, due payments and credit of the customer."""
    under_way = await _orders(desk, UNDER_WAY)
    stuck = await _orders(desk, STUCK)
    invoices = await desk.read_if_allowed(list_invoices, status="open", per_page=SHOWN)
    credit = await desk.read_if_allowed(get_account_credits)
    credits = _with_currency(credit.get("credits") or [])
    return {
        "under_way": under_way.get("orders") or [],
        "under_way_total": under_way.get("total") or 0,
        "stuck": stuck.get("orders") or [],
        "invoices": _with_currency(invoices.get("invoices") or []),
        "credits": [each for each in credits if each.get("balance_minor") or each["limit_minor"]],
        "all_orders": f"/desk/orders?{'&'.join(f'statuses={status}' for status in UNDER_WAY)}",
    }


async def _orders(desk: DeskRequest, statuses: Sequence[str]) -> dict[str, Any]:
    return await desk.read_if_allowed(get_orders, statuses=list(statuses), per_page=SHOWN)


def _with_currency(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Records whose amounts are read in the currency of their account."""
    return [{**each, "currency": each["credit_currency"]} for each in records]


SHOP = LivePart(
    name="shop",
    template="desk_shop_live.html",
    load=load_shop,
    reads=(get_orders, list_invoices, get_account_credits),
    about=("order", "invoice", "online_payment"),
)
