"""Corrections of orders before they leave, including the price."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_driver, make_order, make_route, status_and_code


async def correct(app: App, order_id: int, who: str = "admin", **words: Any) -> Any:
    """Correct an order; the outcome."""
    return await app.call(who, "correct_order", {"order_id": order_id, **words})


async def order_of(app: App, order_id: int) -> Any:
    return (await app.answer("admin", "get_order_detail", {"order_id": order_id})).order


async def test_correcting_a_contact_keeps_the_rest_and_the_price(app: App) -> None:
    order_id = await make_order(app)
    before = await order_of(app, order_id)
    path = f"/v1/orders/{order_id}"
    answer = await app.rest("admin", "PATCH", path, {"consignee": {"phone": "+1 416 555 0199", "name": "Ada King"}})
    assert (answer.status_code, answer.json()["price"]["difference"]) == (200, 0)
    after = await order_of(app, order_id)
    assert (after.consignee.phone, after.consignee.name, after.name) == ("+1 416 555 0199", "Ada King", "Ada King")
    assert (after.consignee.address, after.lat) == (before.consignee.address, before.lat)
    assert (after.tracking_number, after.shipping_price) == (before.tracking_number, before.shipping_price)
    (found,) = (await app.answer("admin", "find_order", {"search": "4165550199"})).orders
    assert found.id == order_id


async def test_correcting_packages_cash_or_service_changes_the_price_and_a_dry_run_shows_it(app: App) -> None:
    order_id = await make_order(app, packages=[{"weight_g": 500}, {"weight_g": 700}])
    before = await order_of(app, order_id)
    asked = {
        "order_id": order_id,
        "packages": [{"weight_g": 9000, "quantity": 3}],
        "cod_minor": 2500,
        "skills": ["tail_lift"],
    }
    rehearsed = (await app.call("admin", "correct_order", asked, dry_run=True)).answer
    assert (await order_of(app, order_id)).weight_g == 1200
    done = await app.answer("admin", "correct_order", asked)
    assert rehearsed.price == done.price
    assert done.price.before == before.shipping_price
    assert done.price.after == done.order.shipping_price == done.price.before + done.price.difference
    assert done.price.difference > 0
    after = await order_of(app, order_id)
    assert (after.weight_g, after.package_count, after.cod_minor, after.skills) == (27_000, 3, 2500, ["tail_lift"])
    numbers = [package.tracking_number for package in before.packages]
    assert [package.tracking_number for package in after.packages][:2] == numbers
    await app.answer("admin", "correct_order", {"order_id": order_id, "packages": [{}], "cod_minor": None})
    gone = (await app.http.get(f"/api/v1/tracking/{numbers[1]}")).json()
    assert (gone["status"], gone["terminal"]) == ("cancelled", True)
    await app.answer("admin", "correct_order", {"order_id": order_id, "packages": [{}, {}]})
    again = (await app.http.get(f"/api/v1/tracking/{numbers[1]}")).json()
    assert (again["status"], again["terminal"]) == ("information_submitted", False)


async def test_an_order_can_be_corrected_until_it_leaves_and_after_its_return(app: App) -> None:
    order_id = await make_order(app)
    route_id = await make_route(app, order_ids=[order_id], driver_id=await make_driver(app, user="driver"))
    phone = {"consignee": {"phone": "+14165550100"}}
    assert "correct" in (await order_of(app, order_id)).allowed_actions
    assert (await correct(app, order_id, **phone)).error is None
    route = (await app.answer("driver", "start_route", {"route_id": route_id})).route
    assert status_and_code(await correct(app, order_id, **phone)) == (409, "ORDER_STEP_REFUSED")
    failed = {"stop_id": route.stops[0].id, "reason": "address_incorrect", "outcome": "retry"}
    await app.answer("driver", "fail_stop", {"route_id": route_id, **failed})
    assert (await correct(app, order_id, **phone)).error is None
    assert status_and_code(await correct(app, order_id, packages=[{}])) == (409, "ORDER_STEP_REFUSED")


async def test_a_correction_reports_its_changes(app: App) -> None:
    order_id = await make_order(app)
    for words in ({}, {"service": None}, {"consignee": {"name": None}}):
        assert status_and_code(await correct(app, order_id, **words)) == (422, "INVALID_REQUEST"), words
    assert status_and_code(await correct(app, order_id, service="nope")) == (422, "SERVICE_UNKNOWN")


async def test_a_skill_no_driver_has_gives_a_warning_when_created_and_corrected(app: App) -> None:
    await app.answer("admin", "create_skill", {"code": "two-person-lift", "name": "Two people"})
    await make_driver(app, skills=["frozen"])
    for skills, warned in ((["two-person-lift", "frozen"], []), (["frozen", "nope"], ["SKILL_UNKNOWN"])):
        order_id = await make_order(app)
        corrected = (await correct(app, order_id, skills=skills)).answer
        assert [warning.code for warning in corrected.warnings] == warned
        created = await app.answer(
            "admin", "create_order", {"consignee": corrected_consignee(await order_of(app, order_id)), "skills": skills}
        )
        assert [warning.code for warning in created.warnings] == warned


def corrected_consignee(order: Any) -> dict[str, Any]:
    """The consignee of an order, as a request names it."""
    names = ("name", "address", "city", "country", "lat", "lng")
    return {name: getattr(order.consignee, name) for name in names}
