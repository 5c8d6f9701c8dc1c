"""The page of a new order shows matching routes next to the form."""

from tests.contexts.dispatch.board.makers import two_routes
from tests.contexts.planning.builds.makers import DEPOT, TOMORROW
from tests.support.app import App
from tests.web.page_client import Checked, get_page, page_text, send_form

PLACE = f"consignee.lat={DEPOT[0] + 0.07}&consignee.lng={DEPOT[1]}"


async def test_fitting_routes_are_shown_with_driver_time_and_added_distance(app: App) -> None:
    north, south = await two_routes(app)
    page = await get_page(app, f"/desk/new-order?part=routes&{PLACE}&scheduled_date={TOMORROW}", "admin")
    assert page.text.index(f"/desk/routes/{north}") < page.text.index(f"/desk/routes/{south}")
    assert ["Nora" in page_text(page), "min" in page_text(page), "km" in page_text(page)] == [True] * 3
    german = await get_page(app, f"/desk/new-order?part=routes&{PLACE}&scheduled_date={TOMORROW}&lang=de", "admin")
    assert "gegen " in page_text(german)


async def test_violations_by_the_order_are_shown_below_the_route(app: App) -> None:
    await two_routes(app)
    window = f"window_start={TOMORROW}T01:00&window_end={TOMORROW}T01:05"
    page = await get_page(app, f"/desk/new-order?part=routes&{PLACE}&scheduled_date={TOMORROW}&{window}", "admin")
    assert "window" in page_text(page)


async def test_a_missing_location_or_route_is_explained(app: App) -> None:
    assert "Choose an address" in page_text(await get_page(app, "/desk/new-order", "admin"))
    assert "No route on this day" in page_text(await get_page(app, f"/desk/new-order?part=routes&{PLACE}", "admin"))


async def test_customers_see_no_route_suggestions(app: App) -> None:
    await two_routes(app)
    page = await get_page(app, f"/desk/new-order?{PLACE}&scheduled_date={TOMORROW}", "customer")
    assert ["Nora" in page.text, 'id="routes"' in page.text] == [False, False]


async def test_an_unknown_address_offers_a_pin_that_the_order_keeps(app: App) -> None:
    page = await get_page(app, "/desk/new-order?q=Nowhere+Lane+9", "admin")
    assert Checked(page.text).faults == []
    assert "Enter the address and set its location" in page_text(page)
    assert '<details class="pin-fields" id="pin-fields" open>' in page.text
    typed = {
        "name": "Zoe",
        "address": "Nowhere Lane 9",
        "city": "Toronto",
        "country": "CA",
        "lat": "43.7",
        "lng": "-79.4",
    }
    sent = {f"consignee.{part}": text for part, text in typed.items()}
    made = await send_form(app, "/desk/act/create_order", "admin", step="do", **sent)
    assert made.status_code == 303
    id = int(made.headers["location"].partition("?")[0].rpartition("/")[2])
    order = (await app.answer("admin", "get_order_detail", {"order_id": id})).order
    assert (order.consignee.lat, order.consignee.lng) == (43.7, -79.4)


async def test_the_pin_map_opens_at_the_depot_if_visible_to_the_user(app: App) -> None:
    place = {"name": "North", "address": "1 Front St", "lat": 43.64, "lng": -79.38}
    await app.answer("admin", "create_depot", place)
    assert 'data-lat="43.64" data-lng="-79.38"' in (await get_page(app, "/desk/new-order", "admin")).text
    assert 'data-lat="43.64"' not in (await get_page(app, "/desk/new-order", "customer")).text
    assert 'id="pin-words"' in (await get_page(app, "/desk/act/create_depot", "admin")).text
    assert 'id="pin-words"' not in (await get_page(app, "/desk/act/create_driver", "admin")).text


async def test_customers_are_not_asked_for_a_customer(app: App) -> None:
    for path in ("/desk/new-order", "/desk/act/create_order", "/desk/orders?more_filters=1"):
        assert 'id="customer_id"' in (await get_page(app, path, "admin")).text, path
        assert 'id="customer_id"' not in (await get_page(app, path, "customer")).text, path
    typed = {
        "name": "Zoe",
        "address": "10 King St W",
        "city": "Toronto",
        "country": "CA",
        "lat": "43.7",
        "lng": "-79.4",
    }
    sent = {f"consignee.{part}": text for part, text in typed.items()}
    made = await send_form(app, "/desk/act/create_order", "customer", step="do", **sent)
    id = int(made.headers["location"].partition("?")[0].rpartition("/")[2])
    assert (await app.answer("admin", "get_order_detail", {"order_id": id})).order.customer_id == app.ids["customer"]


ANA = {
    "consignee.name": "Ana",
    "consignee.address": "Nowhere Lane 9",
    "consignee.city": "Toronto",
    "consignee.country": "CA",
}


async def make_driver_and_depot(app: App) -> int:
    """Create a depot and a driver of the business; return the driver's id."""
    await app.answer("rival", "create_depot", {"name": "Shop", "address": "1 Front St", "lat": 43.64, "lng": -79.38})
    return int((await app.answer("rival", "create_driver", {"name": "Max"})).driver.id)


async def test_one_button_assigns_an_order_to_the_driver_and_a_second_one_joins_the_route(app: App) -> None:
    driver_id = await make_driver_and_depot(app)
    page = await get_page(app, "/desk/new-order", "rival")
    assert (Checked(page.text).faults, "Create and assign to Max" in page_text(page)) == ([], True)
    for number in (1, 2):
        sent = {**ANA, "once": f"n{number}", "route_driver": str(driver_id), "step": "route"}
        made = await send_form(app, "/desk/new-order", "rival", **sent)
        assert (made.status_code, "done=add_orders_to_route" in made.headers["location"]) == (303, True)
    (route,) = (await app.answer("rival", "get_routes", {"driver_id": driver_id})).routes
    assert route.stops_total == 2
    shown = await get_page(app, made.headers["location"], "rival")
    assert "This address isn’t on the map yet" in page_text(shown)


async def test_the_order_page_offers_its_days_route_or_the_missing_step(app: App) -> None:
    made = await send_form(app, "/desk/new-order", "rival", **ANA, step="do", once="a")
    page = made.headers["location"]
    assert "/desk/set-up?step=drivers" in (await get_page(app, page, "rival")).text
    driver_id = await make_driver_and_depot(app)
    shown = await get_page(app, page, "rival")
    assert (Checked(shown.text).faults, "Add to today’s route of Max" in page_text(shown)) == ([], True)
    order_id = page.partition("?")[0].rpartition("/")[2]
    sent = {"order_id": order_id, "driver_id": str(driver_id)}
    assert (await send_form(app, "/desk/day-route", "rival", **sent)).status_code == 303
    assert "Add to today’s route" not in page_text(await get_page(app, page, "rival"))
    again = await send_form(app, "/desk/day-route", "rival", **sent)
    assert (again.status_code, "is on a route" in page_text(again)) == (409, True)
    assert (await send_form(app, "/desk/day-route", "rival", **sent, csrf="forged")).status_code == 404


async def test_missing_values_are_reported_at_their_fields_and_input_is_kept(app: App) -> None:
    page = await send_form(app, "/desk/new-order", "admin", **{**ANA, "consignee.city": ""}, step="do", once="b")
    assert (page.status_code, Checked(page.text).faults) == (422, [])
    assert 'id="consignee.city-fault"' in page.text
    assert 'value="Nowhere Lane 9"' in page.text
    badly = await send_form(app, "/desk/new-order", "admin", **ANA, **{"cod_minor~": "much"}, step="do", once="c")
    assert (badly.status_code, 'id="cod_minor-fault"' in badly.text) == (422, True)
