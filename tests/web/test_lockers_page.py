"""Lockers on the desk: pictures, counts, faults, compartments and parcels."""

from tests.contexts.lockers.makers import deposited, make_cabinet, make_device, reserved
from tests.support.app import App
from tests.web.page_client import Checked, get_page, page_text

LOCKERS = "/desk/lockers"


async def test_lockers_are_shown_with_diagrams_and_problems(app: App) -> None:
    cabinet = await make_cabinet(app)
    await deposited(app, cabinet)
    page = await get_page(app, LOCKERS, "admin")
    assert 'aria-label="Front of locker A: 1 Free, 1 Occupied"' in page.text
    assert "1 of 2 compartments free" in page_text(page)
    assert Checked(page.text).faults == []
    assert "Nothing needs attention." in page_text(await get_page(app, f"{LOCKERS}?show=attention", "admin"))
    await app.answer("admin", "update_locker_box", {"box_id": 2, "state": "faulty"})
    assert "1 Faulty" in page_text(await get_page(app, f"{LOCKERS}?show=attention", "admin"))
    assert "No results" in page_text(await get_page(app, f"{LOCKERS}?search=elsewhere", "admin"))


async def test_a_business_without_lockers_gets_the_first_steps(app: App) -> None:
    page = await get_page(app, LOCKERS, "rival")
    assert "No lockers yet." in page_text(page)
    assert Checked(page.text).faults == []
    assert (await get_page(app, LOCKERS, "customer")).status_code == 403
    assert (await get_page(app, f"{LOCKERS}/99", "admin")).status_code == 404


async def test_a_site_shows_the_selected_compartment_with_parcel_pin_and_door_events(app: App) -> None:
    cabinet = await make_cabinet(app)
    parcel = await deposited(app, cabinet, reference="BOX-17")
    await app.answer("admin", "renew_locker_code", {"locker_parcel_id": parcel.id})
    page = await get_page(app, f"{LOCKERS}/{cabinet.site_id}?box={parcel.box_id}", "admin")
    told = page_text(page)
    assert Checked(page.text).faults == []
    expected = ("Compartment A-1", "BOX-17", "Ada", "Valid", "Collect by", "Opened to deposit", "Deposited today: 1")
    assert [text for text in expected if text not in told] == []
    assert "Extend locker pickup time" in told
    assert "Open rented compartment" not in told
    for box in ("99", "x"):
        other = await get_page(app, f"{LOCKERS}/{cabinet.site_id}?box={box}", "admin")
        assert "Choose a compartment" in page_text(other)


async def test_faults_and_removed_parcels_are_listed(app: App) -> None:
    cabinet = await make_cabinet(app)
    gone = await deposited(app, cabinet)
    await app.answer("admin", "retrieve_locker_parcel", {"locker_parcel_id": gone.id}, confirmed=True)
    await cabinet.does()
    await app.answer("admin", "update_locker_box", {"box_id": 2, "state": "faulty", "fault": "hinge is bent"})
    told = page_text(await get_page(app, f"{LOCKERS}/{cabinet.site_id}", "admin"))
    assert all(text in told for text in ("Removed today: 1", "hinge is bent", "Occupancy, last 14 days"))


async def test_listing_uses_a_constant_number_of_statements(app: App) -> None:
    cabinet = await make_cabinet(app)
    counted = []
    for number in range(3):
        before = app.statements
        for path in (LOCKERS, f"{LOCKERS}/{cabinet.site_id}?box=1"):
            assert (await get_page(app, path, "admin")).status_code == 200
        counted.append(app.statements - before)
        device, _ = await make_device(app, f"CAB-9{number}")
        added = {"site_id": cabinet.site_id, "code": f"B{number}", "device_id": device}
        layout = [{"size": "s", "count": 3}]
        await app.answer("admin", "add_locker_cabinet", {**added, "layout": layout})
        await reserved(app, cabinet.site_id)
    assert counted[1] == counted[2]
