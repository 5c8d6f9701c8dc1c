"""A copy of an order keeps every field that an order is created with."""

from typing import Any

from tests.contexts.custom_fields.makers import make_field
from tests.support.app import App
from tests.support.transport import make_contact, order_row

from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder, OrderTerms
from haulier.contexts.orders.delivery_orders.queries.visible_orders import (
    COMPUTED_FIELDS,
    NAMED_ADDRESSES,
    order_as_request,
)
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.delivery_orders.store.items import list_order_item_rows

FULL_ORDER: dict[str, Any] = {
    "type": "P2P",
    "consignee": make_contact(unit="7", notes="Ring twice."),
    "shipper": make_contact("M4B 1B3", name="Grace Hopper"),
    "order_ref": "FULL-1",
    "packages": [
        {
            "weight_g": 1200,
            "length_mm": 10,
            "width_mm": 20,
            "height_mm": 30,
            "quantity": 2,
            "description": "Tea",
            "custom_fields": {"sort": "green"},
        },
        {"weight_g": 300},
    ],
    "scheduled_date": "2026-06-12",
    "window_start": "2026-06-12T09:00:00-04:00",
    "window_end": "2026-06-12T11:00:00-04:00",
    "service_time_s": 240,
    "skills": ["tail_lift"],
    "note": "Fragile customer.",
    "delivery_instruction": "Second gate.",
    "references": {"po": "77"},
    "cod_minor": 4200,
    "photo_required": True,
    "pin_required": True,
    "minimum_age": 19,
    "language": "fr",
    "signature_required": True,
    "service": "express",
    "fulfilment": "carrier",
    "items": [
        {
            "sku": "TEA-1",
            "description": "Tea",
            "quantity": 2,
            "unit_price_minor": 900,
            "currency": "EUR",
            "weight_g": 250,
            "hs_code": "0902.10",
            "country_of_origin": "IN",
        },
        {"description": "Cup", "unit_price_minor": 500, "currency": "EUR"},
    ],
    "goods_value_minor": 2500,
    "goods_currency": "EUR",
    "show_items_to_recipient": True,
    "custom_fields": {"colour": "red"},
}


async def fields_of_their_own(app: App) -> None:
    await make_field(app, "colour")
    await make_field(app, "sort", "package")


def test_each_field_of_a_new_order_is_copied_or_computed() -> None:
    fields, columns = set(CreateOrder.model_fields), set(orders_store.orders.c.keys())
    assert fields - columns == COMPUTED_FIELDS | NAMED_ADDRESSES
    assert set(OrderTerms.model_fields) <= columns


async def test_an_order_can_be_turned_back_into_the_request_that_created_it(app: App) -> None:
    request = CreateOrder.model_validate({**FULL_ORDER, "customer_id": app.ids["customer"]})
    defaults = CreateOrder.model_validate({"consignee": make_contact()})
    same_as_default = {name for name in CreateOrder.model_fields if getattr(request, name) == getattr(defaults, name)}
    assert same_as_default == {"quote_id", "pickup_depot_id", *NAMED_ADDRESSES}
    await fields_of_their_own(app)
    created = await app.answer("admin", "create_order", request.model_dump(mode="json"))
    row = await order_row(app, created.order.id)
    async with app.database.read(app.clients["demo"]) as work:
        packages = await orders_store.list_order_package_rows(work, [row.id])
        items = (await list_order_item_rows(work, [row.id]))[row.id]
    pieces = [piece.model_copy(update={"quantity": 1}) for piece in request.pieces]
    assert order_as_request(row, packages, items) == request.model_copy(update={"packages": pieces})


async def test_a_rerouted_order_keeps_everything_except_the_address(app: App) -> None:
    await fields_of_their_own(app)
    first = (await app.answer("admin", "create_order", FULL_ORDER)).order
    address = make_contact("L5B 3C1", name="Joan Clarke")
    second = (await app.answer("admin", "reroute_to_address", {"order_id": first.id, "address": address})).order
    rows = [await order_row(app, order_id) for order_id in (first.id, second.id)]
    async with app.database.read(app.clients["demo"]) as work:
        packages = [await orders_store.list_order_package_rows(work, [row.id]) for row in rows]
        items = await list_order_item_rows(work, [row.id for row in rows])
    before, after = (order_as_request(row, pieces, items[row.id]) for row, pieces in zip(rows, packages, strict=True))
    moved = CreateOrder.model_validate({**FULL_ORDER, "consignee": address}).consignee
    assert after == before.model_copy(update={"consignee": moved, "order_ref": "FULL-1"})
