"""The driver's day in one call: complete first, then only changes."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_contact, make_driver, make_order, make_route, make_started_route, some_orders

DOOR = make_contact(unit="12B", phone="+1 416 555 0147", notes="Buzzer 12, third floor")
FULL: dict[str, Any] = {
    "consignee": DOOR,
    "delivery_instruction": "Side door.",
    "note": "Regular customer.",
    "packages": [{"weight_g": 1200, "description": "Tea"}, {"weight_g": 800}],
    "cod_minor": 2500,
    "signature_required": True,
    "photo_required": True,
    "pin_required": True,
    "minimum_age": 19,
    "skills": ["tail_lift"],
    "service_time_s": 240,
}


async def make_day(app: App, who: str = "driver", **words: Any) -> Any:
    return await app.answer(who, "get_rider_day", words)


def handover_of(day: Any, place: int = 0) -> Any:
    return day.routes[0].route.stops[place].handover


async def test_the_day_includes_everything_needed_at_a_stop(app: App) -> None:
    await make_started_route(app, [await make_order(app, **FULL)])
    shown = handover_of(await make_day(app))
    contact = shown.contact
    assert (contact.name, contact.phone, contact.unit) == ("Ada Lovelace", "+1 416 555 0147", "12B")
    assert (contact.notes, shown.instruction, shown.note) == (
        "Buzzer 12, third floor",
        "Side door.",
        "Regular customer.",
    )
    assert [(piece.weight_g, piece.description) for piece in shown.pieces] == [(1200, "Tea"), (800, None)]
    first, second = (piece.barcode for piece in shown.pieces)
    assert second == f"{first}-2"
    assert (shown.weight_g, shown.cod_minor, shown.currency) == (2000, 2500, "CAD")
    assert (shown.skills, shown.service_time_s) == (["tail_lift"], 240)
    proof = shown.proof
    assert (proof.signature, proof.photo, proof.pin, proof.minimum_age, proof.recipient) == (
        True,
        True,
        True,
        19,
        False,
    )


async def test_the_day_includes_no_prices(app: App) -> None:
    await make_started_route(app, [await make_order(app, **FULL)])
    text = (await app.rest("driver", "GET", "/v1/rider/routes/today")).text
    assert "shipping_price" not in text
    assert "4711" not in text


async def test_each_stop_of_a_point_to_point_order_names_its_contact(app: App) -> None:
    ends = {"shipper": make_contact(name="Grace Hopper"), "consignee": DOOR}
    await make_started_route(app, [await make_order(app, type="P2P", **ends, signature_required=True, cod_minor=100)])
    day = await make_day(app)
    assert [handover_of(day, place).contact.name for place in (0, 1)] == ["Grace Hopper", "Ada Lovelace"]
    assert [handover_of(day, place).proof.signature for place in (0, 1)] == [False, True]
    assert [handover_of(day, place).cod_minor for place in (0, 1)] == [None, 100]


async def test_the_day_uses_a_constant_number_of_statements(app: App) -> None:
    counted: list[int] = []
    driver_id = await make_driver(app, user="driver")
    for count in (10, 190):
        await make_route(app, order_ids=await some_orders(app, count), driver_id=driver_id)
        before = app.statements
        day = await make_day(app)
        counted.append(app.statements - before)
    assert sum(len(each.route.stops) for each in day.routes) == 200
    assert counted[0] == counted[1]


async def test_contacts_are_shown_only_at_open_stops(app: App) -> None:
    route = await make_started_route(
        app, [await make_order(app, consignee=DOOR), await make_order(app, consignee=DOOR)]
    )
    first = route.stops[0].id
    await app.answer("driver", "rider_deliver", {"route_id": route.id, "stop_id": first, "recipient": "Ada"})
    day = await make_day(app)
    assert handover_of(day).contact is None
    assert handover_of(day).pieces
    assert handover_of(day, 1).contact.phone == "+1 416 555 0147"


async def test_only_the_driver_can_read_their_day(app: App) -> None:
    await make_started_route(app, [await make_order(app, consignee=DOOR)])
    await make_driver(app, user="driver2")
    assert (await make_day(app, "driver2")).routes == []


async def test_a_cursor_returns_changes_since_the_last_call(app: App) -> None:
    ids = [await make_order(app, consignee=DOOR) for _ in range(3)]
    route = await make_started_route(app, ids)
    whole = await make_day(app)
    assert whole.complete
    nothing = await make_day(app, changed_since=whole.cursor)
    assert (nothing.complete, nothing.routes, nothing.gone_stop_ids) == (False, [], [])
    app.clock.forward(hours=1)
    assert (await make_day(app, changed_since=whole.cursor)).routes == []
    await app.answer("admin", "update_delivery_instruction", {"order_id": ids[1], "delivery_instruction": "Ring."})
    changed = await make_day(app, changed_since=whole.cursor)
    (told,) = changed.routes
    assert [(stop.id, stop.handover.instruction) for stop in told.route.stops] == [(route.stops[1].id, "Ring.")]
    assert (await make_day(app, changed_since=changed.cursor)).routes == []


async def test_a_cursor_reports_removed_records(app: App) -> None:
    driver_id = await make_driver(app, user="driver")
    ids = [await make_order(app) for _ in range(2)]
    route_id = await make_route(app, order_ids=ids, driver_id=driver_id)
    before = await make_day(app)
    stops = [stop.id for stop in before.routes[0].route.stops]
    await app.answer("admin", "remove_orders_from_route", {"route_id": route_id, "order_ids": ids[:1]})
    assert (await make_day(app, changed_since=before.cursor)).gone_stop_ids == stops[:1]
    await app.answer("admin", "cancel_route", {"route_id": route_id})
    after = await make_day(app, changed_since=before.cursor)
    assert (after.routes, after.gone_route_ids, after.gone_stop_ids) == ([], [route_id], stops)


async def test_an_unknown_cursor_returns_the_whole_day(app: App) -> None:
    await make_started_route(app, [await make_order(app)])
    day = await make_day(app, changed_since="not-one-of-ours")
    assert day.complete
    assert len(day.routes) == 1


async def test_a_driver_cannot_see_contacts_of_old_orders(app: App) -> None:
    order_id = await make_order(app, consignee=DOOR, delivery_instruction="Side door.")
    route = await make_started_route(app, [order_id])
    await app.answer("driver", "rider_deliver", {"route_id": route.id, "stop_id": route.stops[0].id})
    await app.answer("driver", "finish_route", {"route_id": route.id})

    async def seen(who: str) -> tuple[bool, ...]:
        order = (await app.answer(who, "get_order_detail", {"order_id": order_id})).order
        (stop,) = (await app.answer(who, "get_route_detail", {"route_id": route.id})).route.stops
        return tuple(
            value is not None for value in (order.consignee, order.name, order.delivery_instruction, stop.address)
        )

    assert await seen("driver") == (True, True, True, True)
    app.clock.forward(hours=25)
    assert await seen("driver") == (False, False, False, False)
    assert await seen("admin") == (True, True, True, True)
