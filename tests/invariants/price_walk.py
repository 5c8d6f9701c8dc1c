"""Records of a customer with one distinctive price, and the fields with prices."""

import json
import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from sqlalchemy import Integer, select, update
from tests.contexts.booking.reservations.makers import make_missed_visit, make_priced_reservation, make_priced_visit
from tests.contexts.lockers.device_makers import confirmed, drafted, make_catalogue, named, serials, step
from tests.contexts.lockers.luggage.examples import HOTEL, TIMES, TRAVELLER
from tests.contexts.lockers.luggage.examples import SERVICE as BAG_SERVICE
from tests.contexts.lockers.makers import deposited, make_cabinet
from tests.contexts.lockers.resale_makers import make_payment_link, make_resale
from tests.contexts.storage.examples import HOME, TARIFF, WISH
from tests.contexts.storage.makers import make_shelf, stored
from tests.invariants.business import make_business
from tests.invariants.business_families import make_payment_for_storage, uniorders
from tests.invariants.business_freight import make_freight
from tests.invariants.business_order_returns import make_order_return
from tests.support.app import App
from tests.support.transport import make_driver, make_route

from haulier.app import registry
from haulier.contexts.billing.public import MoneySubject, charge, top_up
from haulier.kernel.call import call_as_system
from haulier.kernel.data.tables import Json, metadata
from haulier.kernel.operations.enums import Account, PriceFamily
from haulier.kernel.pipeline.hide_prices import price_fields
from haulier.kernel.values.money import Money

PRICE = 1_234_567


VALUES = re.compile("|".join(rf"(?<!\d){PRICE * n // 100}[.,]?{PRICE * n % 100:02}(?!\d)" for n in range(1, 40)))
"""The price, its multiples, and the same as decimals."""


NAMED_LIKE_A_PRICE = re.compile(r"(^|_)(price|amount|fee|cost|tax|charge)(_minor)?$|_minor$")


NO_PRICE = {"paid_minor", "cod_minor", "balance_minor", "held_minor", "floor_minor"}
"""Amounts that are no price of the business: cash on delivery, credit balances and payments."""


INTERFACE = {"shipping_price", "price_details", "tax", "surcharges", "amount", "paid_amount", "currency"}


COVERED_ELSEWHERE = {("client", "currency"), ("operations", "signature")}
"""Where a name of a price field means something else: the currency of a business, the form of a GraphQL call."""


CUSTOMERS = [o for o in registry() if Account.CUSTOMER in o.audience or o.public]


PLACE = {"name": "Ann", "address": "1 Main", "city": "Toronto", "country": "CA", "lat": 43.65, "lng": -79.38}


CARD = {
    "zones": [{"code": "city", "up_to_m": 500_000, "base": PRICE}],
    "services": [{"code": "standard", "name": "Next day", "percent": 100}],
    "per_extra_kg": PRICE,
    "surcharges": {"cod": PRICE, "signature": PRICE, "pickup": PRICE, "extra_package": PRICE},
}


SOON: dict[str, Any] = {"day": "2026-06-10", "starts": "10:10", "ends": "11:00", "cut_off_min": 0}
"""Just after the clock of the tests begins."""


class Records(Struct):
    """The records of a customer, by the request fields that name them."""

    known: dict[str, Any]
    proposed: int


async def make_customer_with_records(app: App, who: str) -> Records:
    """Create a business and a customer with an order of every kind, all at one price."""
    missed = await make_missed_visit(app, PRICE, who, **SOON)  # first: an hour goes by meanwhile
    await app.answer("admin", "set_rate_card", {"rate_card": CARD})
    known = await make_business(app) if not await has_depots(app) else {}
    heavy = {"consignee": PLACE, "cod_minor": 500, "signature_required": True, "packages": [{"weight_g": 9000}] * 2}
    orders = [
        (
            await app.answer(who, "create_order", {**heavy, "order_ref": f"{who}-{n}", "type": kind, "shipper": PLACE})
        ).order
        for n, kind in enumerate(("D", "P2P", "D", "D"))
    ]
    await fail_delivery(app, orders[3].id)
    later = {"orders": [{"consignee": PLACE, "order_ref": f"{who}-b"}]}
    batch = await app.answer(who, "bulk_create_orders_async", later)
    await app.work_off()
    asked = {"tool": "create_order", "arguments": {"consignee": PLACE, "order_ref": f"{who}-p"}}
    proposed = (await app.answer(who, "propose_write", asked)).approval.id
    place = await make_priced_reservation(app, who, orders[0].id)
    await give_credit(app, who)
    visit = await make_priced_visit(app, who)
    shipped = await shipments_of(app, who) | await make_shipping_order(app, who)
    billed = await make_invoice(app, who)
    locker_site = await make_priced_locker(app, who)
    luggage = await luggage_of(app, who)
    await poison(app)
    mine = {
        **billed,
        "order_id": orders[0].id,
        "tried": orders[3].id,
        "order_ids": [order.id for order in orders[:3]],
        "order_refs": [order.order_ref for order in orders[:3]],
        "tracking_number": orders[0].tracking_number,
        "number": orders[0].tracking_number,
        "id": batch.async_id,
        "approval_id": proposed,
        "customer_id": app.ids[who],
        **dict.fromkeys(("consignee", "address"), PLACE),
        **place,
        "visit_id": visit,
        "missed_visit_id": missed,
        **shipped,
        **await storage_of(app, who),
        **await devices_of(app, who),
        **luggage,
        **await leases_of(app, who),
        "site_id": locker_site,
        **(await make_order_return(app, "Ann", who) | await make_freight(app, "Ann", who, PRICE)),
    }
    return Records(known | mine, proposed)


async def give_credit(app: App, who: str) -> None:
    """Give a customer enough credit for all purchases."""
    client_id = app.clients["demo"]
    async with app.database.write(client_id) as work:
        call = await call_as_system(app.application, client_id, work)
        await top_up(call, app.ids[who], Money(90 * PRICE, "CAD"), key=f"credit:{who}")


async def shipments_of(app: App, who: str) -> dict[str, Any]:
    """Create a purchased label with the business's own carrier, and rates for another."""
    account = (await app.answer("admin", "list_carrier_accounts")).accounts[0].id
    tariff = {
        "services": [{"code": "ground", "name": "Ground"}],
        "zones": [{"code": "all", "steps": [{"up_to_g": 30_000, "amount": PRICE}]}],
    }
    await app.answer("admin", "set_carrier_tariff", {"account_id": account, "tariff": tariff})
    named = {"shipment": {"consignee": PLACE, "shipper": PLACE}, "account_id": account, "service": "ground"}
    bought = (await app.answer(who, "create_shipping_label", {**named, "order_ref": "bought"})).shipment.id
    draft = (await app.answer(who, "create_shipping_label", {**named, "order_ref": "draft", "draft": True})).shipment.id
    return {
        "account_id": account,
        "shipment_id": bought,
        "draft_shipment_id": draft,
        **await uniorders(app, who, PLACE),
    }


async def make_invoice(app: App, who: str) -> dict[str, int]:
    """Issue an invoice of a customer's purchases, including a label."""
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        about = MoneySubject("label", 1, PriceFamily.LABEL_SERVICE)
        await charge(call, app.ids[who], Money(PRICE, "CAD"), key=f"billed:{who}", subject=about)
    paid = {"customer_id": app.ids[who]}
    return {"invoice_id": (await app.answer("admin", "issue_invoice", paid)).invoice.id}


async def storage_of(app: App, who: str) -> dict[str, int]:
    """Create a storage order and a ship-out to pay, and a package to send."""
    tariff = {**TARIFF, "tiers": [{"from_day": 1, "price_minor": 0}], "minimum_minor": PRICE}
    await app.answer("admin", "set_storage_tariff", tariff)
    order = (await app.answer(who, "create_storage_order", {"storage": WISH})).storage_order
    full = (await app.answer(who, "create_storage_order", {"storage": WISH})).storage_order
    free, sent = await stored(app, full.id, await make_shelf(app, who), 2)
    (service,) = (await app.answer("admin", "list_services", {"kind": "shipout"})).services
    dear = {"service_id": service.id, "name": service.name, "pricing": {"base_minor": PRICE}}
    await app.answer("admin", "update_service", dear)
    out = {"service_code": service.code, "parcels": [{"package_ids": [sent]}], "consignee": HOME}
    shipout = (await app.answer(who, "create_shipout", out)).shipout
    payment = await make_payment_for_storage(app, who, full.id)
    return {"storage_order_id": order.id, "free_package_id": free, "shipout_id": shipout.id, "payment_id": payment}


async def devices_of(app: App, who: str) -> dict[str, Any]:
    """Create device orders in each status that shows prices, and a return."""
    await make_catalogue(app, stock=90, price_minor=PRICE)
    draft, other, waiting = await drafted(app, 1, who), await drafted(app, 1, who), await confirmed(app, 1, who)
    sent = await confirmed(app, 2, who)
    await step(app, "pay_device_order", sent.id, "admin")
    numbers = serials(sent.id)
    leaving = {"devices": named(numbers), "tracking_number": "1Z"}
    await step(app, "ship_device_order", sent.id, "admin", **leaving)
    back = {"device_order_id": sent.id, "serials": numbers[:1], "reason": "other"}
    returned = (await app.answer(who, "request_device_return", back)).device_return
    return {
        "product_code": "scanner-2d",
        "device_order_id": draft.id,
        "other_device_order_id": other.id,
        "confirmed_device_order_id": waiting.id,
        "sent_device_order_id": sent.id,
        "sent_serial": numbers[1],
        "device_return_id": returned.id,
    }


async def luggage_of(app: App, who: str) -> dict[str, Any]:
    """Create two unpaid luggage bookings, a paid one, and one with a claim."""
    code = f"bags-{who}"
    await app.answer("admin", "create_service", {**BAG_SERVICE, "code": code, "pricing": {"base_minor": PRICE}})
    wish = {"service_code": code, "bags": [{"size": "s"}] * 2, "origin": HOTEL, "destination": HOTEL}
    asked = {**wish, **TIMES, "traveller": TRAVELLER}
    made = [(await app.answer(who, "book_luggage", asked)).luggage for _ in range(4)]
    for each in made[2:]:
        await app.answer("admin", "pay_luggage_booking", {"luggage_id": each.id}, confirmed=True)
    tags, last = [bag.tag for bag in made[3].bags], {"luggage_id": made[3].id}
    handed = {**last, "step": "receive", "tags": tags, "identity_checked": "Passport shown"}
    await app.answer("admin", "hand_over_luggage", handed)
    claim = {**last, "kind": "damaged", "tag": tags[0], "note": "A wheel is broken"}
    return {
        "luggage_wish": wish,
        "other_luggage_id": made[0].id,
        "unpaid_luggage_id": made[1].id,
        "paid_luggage_id": made[2].id,
        "luggage_id": made[3].id,
        "tag": tags[1],
        "luggage_claim_id": (await app.answer(who, "file_luggage_claim", claim)).claim.id,
    }


async def make_priced_locker(app: App, who: str) -> int:
    """Create a site with paid storage and a retrieved parcel, and return its id."""
    cabinet = await make_cabinet(app, storage_free_days=0, storage_day_minor=PRICE)
    parcel = await deposited(app, cabinet, recipient={"name": "Ann", "customer_id": app.ids[who]})
    await app.answer("admin", "retrieve_locker_parcel", {"locker_parcel_id": parcel.id}, confirmed=True)
    await cabinet.does()
    return cabinet.site_id


async def make_shipping_order(app: App, who: str) -> dict[str, Any]:
    """Create a shipping order of a service with the distinctive price."""
    code = f"priced-{who}"
    priced = {"code": code, "kind": "ltl", "name": "Pallets", "pricing": {"base_minor": PRICE}}
    await app.answer("admin", "create_service", priced)
    asked = {"service_code": code, "consignee": PLACE, "order_ref": f"{who}-s"}
    order = (await app.answer(who, "create_shipping_order", asked)).shipping_order
    return {"shipping_service_code": code, "shipping_order_id": order.id}


async def leases_of(app: App, who: str) -> dict[str, Any]:
    """Create an active rental with a parcel, and two unpaid ones."""
    resale = await make_resale(app, day_minor=PRICE, setup_minor=PRICE, boxes=9)
    await app.answer("admin", "update_locker_offer", {"locker_offer_id": resale.offer.id, "boxes": 9})
    active, waiting, other, linked = [await resale.reserve(2, 2, who) for _ in range(4)]
    await resale.step("pay_locker_lease", active.id, "admin")
    parcel, free = await resale.parcel(active.id, who), await resale.parcel(active.id, who)
    await resale.open(parcel.id, who=who)
    return {
        "locker_offer_id": resale.offer.id,
        "locker_lease_id": active.id,
        "reserved_lease_id": waiting.id,
        "other_lease_id": other.id,
        "payment_link": await make_payment_link(app, linked.id),
        "leased_parcel_id": free.id,
    }


async def fail_delivery(app: App, order_id: int) -> None:
    """Run a failed attempt of a driver for an order of the demo business."""
    route_id = await make_route(app, order_ids=[order_id], driver_id=await make_driver(app))
    route = (await app.answer("admin", "start_route", {"route_id": route_id})).route
    failed = {"route_id": route.id, "stop_id": route.stops[0].id, "reason": "recipient_absent", "outcome": "retry"}
    await app.answer("admin", "fail_stop", failed)
    await app.answer("admin", "return_route_to_depot", {"route_id": route.id})


async def has_depots(app: App) -> bool:
    async with app.database.read(None) as work:
        return bool(
            await work.without_tenant_filter("a test looks").all(select(metadata.tables["depot"].c.id).limit(1))
        )


async def poison(app: App) -> None:
    """Set integers named like a price, in columns and documents, to the same price."""
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("a test writes into every table")
        for table in metadata.tables.values():
            # Money that a customer paid in is no price. Prices in the locker shop are public and belong to no family that
            # could be hidden.
            if table.name.startswith(("ledger_", "shop_")):
                continue
            named = [c for c in table.c if NAMED_LIKE_A_PRICE.search(c.name) and c.name not in NO_PRICE]
            for column in (c for c in named if isinstance(c.type, Integer)):
                await work.run(update(table).where(column.is_not(None)).values({column.name: PRICE}))
            for column in (c for c in named if isinstance(c.type, Json)):
                for row in await work.all(select(table.c.id, column.label("told")).where(column.is_not(None))):
                    changed = update(table).where(table.c.id == row.id)
                    await work.run(changed.values({column.name: poisoned(row.told)}))


def poisoned(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: poisoned(each) for name, each in value.items()}
    if isinstance(value, list):
        return [poisoned(each) for each in value]
    return PRICE if isinstance(value, int) and not isinstance(value, bool) else value


def price_names() -> set[str]:
    """Return the names of price fields, from the interface and all answers."""
    seen: set[str] = set(INTERFACE)
    for operation in registry():
        for record in records_within(operation.answer):
            seen |= price_fields(record).keys()
    return seen


def records_within(kind: Any, seen: set[Any] | None = None) -> Iterator[type[Struct]]:
    from haulier.kernel.pipeline.hide_prices import _record_types, get_type_hints

    seen = set() if seen is None else seen
    if kind in seen:
        return
    seen.add(kind)
    yield kind
    for hint in get_type_hints(kind).values():
        for record in _record_types(hint):
            yield from records_within(record, seen)


def price_paths(value: Any, names: set[str], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of prices in a document that are not null."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name in names and each is not None and (*path[-1:], name) not in COVERED_ELSEWHERE:
                yield (*path, name)
            yield from price_paths(each, names, (*path, name))
    elif isinstance(value, list):
        for each in value:
            yield from price_paths(each, names, path)
    elif isinstance(value, str) and value[:1] in "{[":  # a tool repeats its result as text
        try:
            yield from price_paths(json.loads(value), names, path)
        except ValueError:
            return
