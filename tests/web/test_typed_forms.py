"""Forms parse user input, and keep input that they refuse."""

import re

from tests.support.app import App
from tests.web.page_client import get_page, page_errors, send_form

VEHICLE = "/desk/act/create_vehicle"


async def test_amounts_weights_and_names_are_parsed(app: App) -> None:
    depot = {"name": "Port Lands", "address": "1 Pier St", "lat": 43.64, "lng": -79.35}
    made = (await app.answer("admin", "create_depot", depot)).depot.id
    typed = {"name": "Van 7", "cost_per_km_minor~": "0,42 $", "capacity_weight_g~": "1.2 t", "depot_id~": "port lands"}
    sent = await send_form(app, VEHICLE, "admin", **typed, step="do")
    assert sent.status_code == 303, sent.text
    vehicle = (await app.answer("admin", "list_vehicles", {})).vehicles[-1]
    assert (vehicle.cost_per_km_minor, vehicle.capacity_weight_g, vehicle.depot_id) == (42, 1_200_000, made)
    again = (await get_page(app, f"/desk/act/update_vehicle?vehicle_id={vehicle.id}", "admin")).text
    for name, text in (("cost_per_km_minor~", "0.42"), ("capacity_weight_g~", "1200"), ("depot_id~", "Port Lands")):
        assert re.search(rf'name="{name}"[^>]* value="{text}"', again), name


async def test_an_ambiguous_input_stays_in_its_field_with_the_reason(app: App) -> None:
    typed = {"name": "Van 8", "cost_per_km_minor~": "1.500", "depot_id~": "nowhere"}
    sent = await send_form(app, VEHICLE, "admin", **typed, step="do")
    assert sent.status_code == 422
    assert page_errors(sent).keys() == {"cost_per_km_minor", "depot_id"}
    assert "1500 or 1.5" in page_errors(sent)["cost_per_km_minor"]
    assert re.search(r'name="cost_per_km_minor~"[^>]* value="1.500"', sent.text)
    assert (await app.answer("admin", "list_vehicles", {})).vehicles == []


async def test_an_ambiguous_name_lists_its_records(app: App) -> None:
    for name in ("Dana Driver", "Dana Diaz"):
        await app.answer("admin", "create_driver", {"name": name})
    page = await get_page(app, "/desk/routes?driver_id~=Dana&more_filters=1", "admin")
    assert "Dana Driver; Dana Diaz" in page.text or "Dana Diaz; Dana Driver" in page.text
    found = await get_page(app, "/desk/routes?driver_id~=Dana+Diaz", "admin")
    assert re.fullmatch(r"/desk/routes\?driver_id=\d+", found.headers["location"])


async def test_suggestions_are_found_by_name(app: App) -> None:
    await app.answer("admin", "create_driver", {"name": "Dora Dent"})
    found = (await get_page(app, "/desk/options/drivers?q=dor", "admin")).json()
    assert [name for _, name in found] == ["Dora Dent"]
    countries = (await get_page(app, "/desk/options/country?q=deutsch&lang=de", "admin")).json()
    assert countries == [["DE", "Deutschland"]]
    assert (await get_page(app, "/desk/options/users", "customer")).status_code == 404
