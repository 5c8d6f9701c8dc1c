"""Fleet: drivers, vehicles, contractors, a driver's page and invitations."""

from datetime import timedelta

from tests.support.app import App
from tests.support.transport import make_driver, make_order, make_route
from tests.web.page_client import Checked, get_page, page_errors, page_text, send_form

FLEET = "/desk/fleet"


async def test_drivers_are_shown_with_route_documents_skills_and_pay(app: App) -> None:
    driver = await make_driver(app)
    await make_route(app, order_ids=[await make_order(app)], driver_id=driver)
    soon = app.clock().date() + timedelta(days=9)
    paper = {"driver_id": driver, "kind": "licence", "expires_on": soon.isoformat()}
    await app.answer("admin", "add_driver_document", paper)
    page = await get_page(app, FLEET, "admin")
    row = page.text.partition(f'data-id="driver-{driver}"')[2].partition("</tr>")[0]
    assert "0 of 1 stops done" in row
    assert "Documents to renew" in page_text(page)
    assert Checked(page.text).faults == []


async def test_a_new_business_is_asked_to_add_drivers_and_vehicles(app: App) -> None:
    assert "No drivers yet" in page_text(await get_page(app, FLEET, "rival"))
    assert "No vehicles yet" in page_text(await get_page(app, f"{FLEET}?show=vehicles", "rival"))
    assert (await get_page(app, f"{FLEET}?show=nothing", "admin")).status_code == 404


async def test_a_vehicle_shows_its_travel_mode_as_text(app: App) -> None:
    bike = {"name": "Bike 1", "travel_mode": "bicycle"}
    vehicle = (await app.answer("admin", "create_vehicle", bike)).vehicle.id
    assert "Bicycle" in page_text(await get_page(app, f"{FLEET}?show=vehicles", "admin"))
    assert "Travel mode Bicycle" in " ".join(
        page_text(await get_page(app, f"/desk/vehicles/{vehicle}", "admin")).split()
    )


async def test_vehicles_and_contractors_have_their_own_tabs(app: App) -> None:
    vehicle = {"name": "Van 9", "plate": "ABC-9", "capacity_weight_g": 1_200_000, "capacity_parcels": 80}
    await app.answer("admin", "create_vehicle", vehicle)
    told = page_text(await get_page(app, f"{FLEET}?show=vehicles", "admin"))
    assert all(text in told for text in ("Van 9", "ABC-9", "1,200 kg", "80 packages"))
    assert "View drivers" in page_text(await get_page(app, f"{FLEET}?show=contractors", "admin"))


async def test_listing_uses_a_constant_number_of_statements(app: App) -> None:
    counted = []
    for number in range(3):
        before = app.statements
        assert (await get_page(app, FLEET, "admin")).status_code == 200
        counted.append(app.statements - before)
        for each in range(3):
            await app.answer("admin", "create_driver", {"name": f"Driver {number}{each}"})
    assert counted[1] == counted[2]


async def test_the_driver_page_shows_day_hours_documents_and_pay(app: App) -> None:
    driver = await make_driver(app)
    await make_route(app, order_ids=[await make_order(app)], driver_id=driver)
    shifts = [{"weekday": 1, "start": "09:00", "end": "17:00"}]
    await app.answer(
        "admin", "set_driver_working_profile", {"driver_id": driver, "shifts": shifts, "max_time_s": 28800}
    )
    page = await get_page(app, f"/desk/drivers/{driver}", "admin")
    told = page_text(page)
    assert all(text in told for text in ("0 of 1 stops done", "Monday", "09:00 – 17:00", "Pay this week", "8 h"))
    assert Checked(page.text).faults == []


async def test_an_invitation_shows_the_link_and_its_qr_code(app: App) -> None:
    driver = (await app.answer("admin", "create_driver", {"name": "Nadia", "phone": "+15550100"})).driver.id
    assert f'href="/desk/drivers/{driver}/invite"' in (await get_page(app, f"/desk/drivers/{driver}", "admin")).text
    address = f"/desk/drivers/{driver}/invite"
    assert "Each driver needs their own" in page_text(await get_page(app, address, "admin"))
    refused = await send_form(app, address, "admin", email="nobody", once="a")
    assert (refused.status_code, set(page_errors(refused))) == (422, {"email"})
    shown = await send_form(app, address, "admin", email="nadia@links.example", once="b")
    assert "hlsignin_" in shown.text
    assert "image/svg+xml" in shown.text
    assert "sms:+15550100" in shown.text
    assert (await app.answer("admin", "get_driver", {"driver_id": driver})).driver.user_id
    again = await send_form(app, address, "admin", once="c")
    assert "hlsignin_" in again.text


async def test_invitations_require_a_valid_form_from_staff(app: App) -> None:
    driver = (await app.answer("admin", "create_driver", {"name": "Nadia"})).driver.id
    address = f"/desk/drivers/{driver}/invite"
    assert (await send_form(app, address, "admin", email="a@b.example", csrf="wrong")).status_code == 403
    assert (await get_page(app, address, "customer")).status_code == 404
    assert (await get_page(app, FLEET, "customer")).status_code == 404
    assert (await get_page(app, "/desk/drivers/999999/invite", "admin")).status_code == 404


async def test_the_page_of_a_vehicle_shows_service_log_and_documents(app: App) -> None:
    soon = (app.clock().date() + timedelta(days=9)).isoformat()
    made = {"name": "Van 9", "plate": "ABC-9", "next_service_at_m": 90_000_000}
    van = (await app.answer("admin", "create_vehicle", made)).vehicle.id
    address = f"/desk/vehicles/{van}"
    empty = page_text(await get_page(app, address, "admin"))
    assert "No documents yet" in empty
    assert "No entries yet" in empty
    await app.answer("admin", "add_vehicle_document", {"vehicle_id": van, "kind": "insurance", "expires_on": soon})
    await app.answer("admin", "add_vehicle_log_entry", {"vehicle_id": van, "odometer_m": 89_400_000})
    page = await get_page(app, address, "admin")
    told = " ".join(page_text(page).split())
    assert all(text in told for text in ("Service due", "in 600 km", "9 days left", "89,400 km", "Odometer reading"))
    assert Checked(page.text).faults == []
    listed = " ".join(page_text(await get_page(app, f"{FLEET}?show=vehicles", "admin")).split())
    assert all(text in listed for text in ("Service due", "now 89,400 km", "Insurance"))


async def test_the_page_of_a_contractor_shows_fleet_documents_and_pay(app: App) -> None:
    contractor = app.ids["contractor"]
    driver = (await app.answer("contractor", "create_driver", {"name": "Nadia"})).driver.id
    van = (await app.answer("contractor", "create_vehicle", {"name": "Van 7"})).vehicle.id
    soon = (app.clock().date() + timedelta(days=9)).isoformat()
    await app.answer("admin", "add_driver_document", {"driver_id": driver, "kind": "licence", "expires_on": soon})
    await app.answer("admin", "add_vehicle_document", {"vehicle_id": van, "kind": "insurance", "expires_on": soon})
    page = await get_page(app, f"/desk/users/{contractor}", "admin")
    told = " ".join(page_text(page).split())
    assert all(text in told for text in ("Nadia", "Van 7", "Driving licence", "Insurance", "Pay this week"))
    assert f'href="/desk/drivers/{driver}"' in page.text
    assert Checked(page.text).faults == []
    staff = page_text(await get_page(app, f"/desk/users/{app.ids['employee']}", "admin"))
    assert "Pay this week" not in staff


async def test_documents_and_services_that_are_due_are_on_the_home_page(app: App) -> None:
    soon = (app.clock().date() + timedelta(days=9)).isoformat()
    van = (await app.answer("admin", "create_vehicle", {"name": "Van 7", "next_service_on": soon})).vehicle.id
    await app.answer("admin", "add_vehicle_document", {"vehicle_id": van, "kind": "insurance", "expires_on": soon})
    driver = await make_driver(app)
    await app.answer("admin", "add_driver_document", {"driver_id": driver, "kind": "licence", "expires_on": soon})
    page = await get_page(app, "/desk", "admin")
    assert all(text in page_text(page) for text in ("Driver documents to renew", "Vehicles due for service"))
    for address in ("/desk/driver-documents?due=true", "/desk/vehicle-documents?due=true"):
        assert address in page.text
        assert (await get_page(app, address, "admin")).status_code == 200
    assert "Van 7" in page_text(await get_page(app, "/desk/vehicles?service_due=true", "admin"))


async def test_the_form_of_an_action_names_its_record(app: App) -> None:
    van = (await app.answer("admin", "create_vehicle", {"name": "Van 9"})).vehicle.id
    page = await get_page(app, f"/desk/act/add_vehicle_log_entry?vehicle_id={van}", "admin")
    assert "Vehicle: Van 9" in " ".join(page_text(page).split())
