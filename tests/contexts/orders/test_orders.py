"""Orders are created, found, changed and cancelled by authorized users."""

import asyncio
from typing import Any

import pytest
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.contexts.orders.delivery_orders.store import orders as orders_store

THERE = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA", "lat": 43.65, "lng": -79.38}


async def make_order(app: App, who: str = "admin", **words: Any) -> Any:
    return (await app.answer(who, "create_order", {"consignee": THERE, **words})).order


def code(outcome: Any) -> tuple[int, str | None]:
    return outcome.status, outcome.error and outcome.error["code"]


async def test_an_order_is_created_with_its_price_and_first_event(app: App) -> None:
    order = await make_order(app, order_ref="A-1", packages=[{"weight_g": 700}, {"weight_g": 300}])
    assert (order.status, order.order_status_id, order.package_count, order.weight_g) == ("NEW_ORDER", 1, 2, 1000)
    assert (order.shipping_price, order.currency) == (1298, "CAD")
    journey = await app.answer(None, "track_package", {"number": order.tracking_number})
    assert journey.status == "information_submitted"


async def test_a_repeated_reference_returns_the_existing_order(app: App) -> None:
    first = await app.answer("admin", "create_order", {"consignee": THERE, "order_ref": "A-1"})
    again = await app.answer("admin", "create_order", {"consignee": THERE, "order_ref": "A-1"})
    other = await app.answer("rival", "create_order", {"consignee": THERE, "order_ref": "A-1"})
    assert (again.existing, again.order.id) == (True, first.order.id)
    assert (other.existing, other.order.id != first.order.id) == (False, True)


async def test_concurrent_creates_with_one_reference_create_one_order(app: App) -> None:
    body = {"consignee": THERE, "order_ref": "RACE"}
    answers = await asyncio.gather(*(app.answer("admin", "create_order", body) for _ in range(10)))
    assert len({answer.order.id for answer in answers}) == 1
    assert sum(not answer.existing for answer in answers) == 1


@for_every(
    ("body", "fault"),
    [
        ({"type": "P", "consignee": THERE}, "SHIPPER_NEEDED"),
        ({"type": "D"}, "CONSIGNEE_NEEDED"),
        ({"consignee": THERE, "customer_id": 999_999}, "CUSTOMER_UNKNOWN"),
        ({"consignee": {**THERE, "lat": 91}}, "LESS_THAN_EQUAL"),
        ({"consignee": THERE, "window_start": "2026-06-11T10:00:00"}, "TIMEZONE_AWARE"),
    ],
)
async def test_an_invalid_order_reports_its_errors(app: App, body: dict[str, Any], fault: str) -> None:
    outcome = await app.call("admin", "create_order", body)
    assert outcome.status == 422
    assert fault in {each["code"] for each in outcome.error["errors"]}  # type: ignore[index]


async def test_users_see_only_their_own_orders(app: App) -> None:
    mine = await make_order(app, "customer")
    theirs = await make_order(app, customer_id=app.ids["customer2"])
    held = await make_order(app)
    await app.answer("admin", "assign_orders_to_broker", {"order_ids": [held.id], "broker_id": app.ids["contractor"]})
    seen = {
        who: {order.id for order in (await app.answer(who, "get_orders")).orders}
        for who in ("admin", "customer", "customer2", "contractor", "contractor2", "rival")
    }
    assert seen == {
        "admin": {mine.id, theirs.id, held.id},
        "customer": {mine.id},
        "customer2": {theirs.id},
        "contractor": {held.id},
        "contractor2": set(),
        "rival": set(),
    }
    for who in ("customer2", "contractor", "rival"):
        assert code(await app.call(who, "get_order_detail", {"order_id": mine.id})) == (404, "NOT_FOUND")


async def test_orders_are_listed_newest_first_and_filtered(app: App) -> None:
    orders = [await make_order(app, order_ref=f"L-{n}", scheduled_date=f"2026-06-1{n}") for n in range(4)]
    page = await app.answer("admin", "get_orders", {"per_page": 2, "page": 2})
    assert (page.total, [order.id for order in page.orders]) == (4, [orders[1].id, orders[0].id])
    later = await app.answer("admin", "get_orders", {"scheduled_from": "2026-06-12"})
    assert [order.order_ref for order in later.orders] == ["L-3", "L-2"]
    assert (await app.answer("admin", "get_orders", {"search": "queen"})).total == 4
    assert (await app.answer("admin", "get_orders", {"search": "100%"})).total == 0
    assert [o.order_ref for o in (await app.answer("admin", "find_order", {"search": "L-2"})).orders] == ["L-2"]


async def test_notes_and_windows_can_be_changed_until_the_order_ends(app: App) -> None:
    order = await make_order(app, order_ref="W-1")
    await app.answer("admin", "update_order_note", {"order_id": order.id, "note": "ring twice"})
    await app.answer(
        "admin", "update_delivery_instruction", {"order_id": order.id, "delivery_instruction": "side door"}
    )
    window = {"window_start": "2026-06-11T10:00:00-04:00", "window_end": "2026-06-11T12:00:00-04:00"}
    moved = await app.answer("admin", "update_time_window_by_refs", {"order_refs": ["W-1", "nope"], **window})
    assert (moved.changed, moved.skipped) == (1, 1)
    assert [(error.order_id, error.order_ref, error.code) for error in moved.errors] == [(None, "nope", "NOT_FOUND")]
    detail = (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order
    assert (detail.note, detail.delivery_instruction) == ("ring twice", "side door")
    assert detail.window_start.isoformat() == "2026-06-11T10:00:00-04:00"
    await app.answer("admin", "cancel_order", {"order_id": order.id})
    late = await app.call("admin", "update_order_note", {"order_id": order.id, "note": "too late"})
    assert code(late) == (409, "ORDER_IS_OVER")
    over = await app.answer("admin", "update_time_window_by_refs", {"order_refs": ["W-1"], **window})
    assert (over.result, [(error.order_id, error.code) for error in over.errors]) == (
        False,
        [(order.id, "ORDER_IS_OVER")],
    )


async def test_an_order_can_be_held_and_released(app: App) -> None:
    order = await make_order(app)
    held = await app.answer("admin", "hold_order", {"order_id": order.id, "reason": "storm"})
    assert (held.order.status, held.order.allowed_actions) == (
        "HOLD",
        ["release", "cancel", "reroute", "correct", "reschedule", "switch_to_pickup"],
    )
    assert code(await app.call("admin", "hold_order", {"order_id": order.id})) == (409, "ORDER_STEP_REFUSED")
    assert (await app.answer("admin", "release_order", {"order_id": order.id})).order.status == "NEW_ORDER"
    steps = (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order.steps
    assert [(step.step, step.reason) for step in steps] == [("create", None), ("hold", "storm"), ("release", None)]


async def test_a_rerouted_order_is_cancelled_and_recreated_under_its_reference(app: App) -> None:
    order = await make_order(app, order_ref="R-1", note="keep me", packages=[{"weight_g": 4200}])
    new = (
        await app.answer("admin", "reroute_to_address", {"order_id": order.id, "address": {**THERE, "name": "Bo"}})
    ).order
    old = (await app.answer("admin", "get_order_detail", {"order_id": order.id})).order
    again = (await app.answer("admin", "get_order_detail", {"order_id": new.id})).order
    assert (old.status, old.replaced_by_order_id, old.order_ref) == ("CANCELLED", new.id, None)
    assert (again.replaces_order_id, again.order_ref, again.name, again.note) == (order.id, "R-1", "Bo", "keep me")
    assert again.weight_g == 4200


async def test_hidden_prices_appear_nowhere_in_a_customers_responses(app: App) -> None:
    order = await make_order(app, "customer")
    hide = {"customer_id": app.ids["customer"], "hidden": ["local_delivery"]}
    await app.answer("admin", "set_price_visibility", hide)
    for path in (f"/v1/orders/{order.id}", "/v1/orders", f"/v1/orders/{order.id}/snapshot"):
        text = (await app.rest("customer", "GET", path)).text
        assert "903" not in text
        assert not {"shipping_price", "currency", "tax", "price_details"} & {
            word.strip('"') for word in text.split('"')
        }
    rates = (await app.rest("customer", "POST", "/v1/orders/rate", {"consignee": {"postal_code": "M5V 2T6"}})).json()[
        "rates"
    ]
    assert [sorted(rate) for rate in rates] == [["price_hidden", "rate_id", "service", "service_name", "zone"]] * 2


async def test_label_text_cannot_break_the_label_format(app: App) -> None:
    order = await make_order(app, consignee={**THERE, "name": "Eve^XZ~JR"})
    (label,) = (await app.answer("admin", "print_local_label", {"order_id": order.id})).labels
    assert label.count("^XZ") == 1
    assert "~" not in label
    assert order.tracking_number in label


async def test_statement_count_does_not_grow_with_the_orders(app: App) -> None:
    async def statements() -> int:
        before = app.statements
        await app.answer("admin", "get_orders", {"per_page": 200})
        return app.statements - before

    await make_order(app)
    few = await statements()
    await app.answer("admin", "bulk_create_orders", {"orders": [{"consignee": THERE}] * 60})
    assert await statements() == few


async def test_a_new_order_equals_its_stored_form(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """New orders are not read back, so every value must equal that of a later read."""
    made: list[Any] = []
    insert = orders_store.insert_orders

    async def noting(work: Any, rows: Any) -> Any:
        written = await insert(work, rows)
        made.extend(written)
        return written

    monkeypatch.setattr(orders_store, "insert_orders", noting)
    everything = {
        "order_ref": "N-1",
        "type": "P2P",
        "consignee": THERE,
        "shipper": {**THERE, "lat": 43, "lng": -79, "phone": "+14165550100", "email": "ada@example.com"},
        "window_start": "2026-06-10T09:00:00-04:00",
        "window_end": "2026-06-10T11:00:00-04:00",
        "skills": ["tail_lift"],
        "references": {"PO": "ü-7"},
        "cod_minor": 2500,
        "language": "fr",
        "photo_required": True,
        "minimum_age": 18,
        "note": "Call before.",
        "delivery_instruction": "Second gate.",
        "packages": [{"weight_g": 1200, "quantity": 2, "description": "Books"}],
        "customer_id": app.ids["customer"],
    }
    for values in (everything, {"consignee": THERE}):
        await app.answer("admin", "create_order", values)
    async with app.database.read(app.clients["demo"]) as work:
        assert await orders_store.list_order_rows(work, [row.id for row in made]) == made
    assert len(made) == 2
