"""The warehouse page in a browser: axe, keyboard, phone, and a misplaced pallet."""

from playwright.sync_api import Browser, expect
from tests.web.browser import DESK_SIZE, PHONE_SIZE, DemoApi, axe_faults, needs_chromium, open_page, sideways_overflow
from tests.web.jobs.stage import Stage, Taste

pytestmark = needs_chromium
CLICKS_MAX, KEYS_MAX = 7, 60


def test_the_warehouse_is_accessible_at_both_sizes(demo_server: str, browser: Browser) -> None:
    searches = ("", "?by=location", "?q=MUG-WHITE", "?q=CRATE-11", "?q=A-2", "?q=a", "?q=nowhere")
    with open_page(browser, demo_server, "admin") as page:
        for search in searches:
            page.goto(f"/desk/warehouse{search}")
            for summary in page.locator(".move > summary").all()[:1]:
                summary.click()
            assert axe_faults(page, DESK_SIZE, PHONE_SIZE) == {}, search
            page.set_viewport_size(PHONE_SIZE)
            assert sideways_overflow(page) == 0, search
            page.set_viewport_size(DESK_SIZE)


def test_stock_can_be_found_moved_and_moved_back_by_keyboard(demo_server: str, browser: Browser) -> None:
    office = DemoApi(demo_server, "admin")
    with open_page(browser, demo_server, "admin") as page:
        page.goto("/desk/warehouse")
        expect(page.get_by_role("searchbox", name="Search stock")).to_be_focused()
        page.keyboard.type("TEA-100")
        page.keyboard.press("Enter")
        page.wait_for_url("**/desk/warehouse?q=TEA-100")
        row = page.get_by_role("row", name="L-08")
        row.locator("summary").press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.type("S-1")
        page.keyboard.press("Enter")
        page.wait_for_url("**moved=*")
        expect(page.locator("tr.at")).to_contain_text("S-1")
        page.keyboard.press("Escape")
        page.locator("#undo").press("Enter")
        expect(page.locator("tr.at")).to_have_count(0)
    levels = office.get("/v1/wms/stock/levels", sku="TEA-100")["levels"]
    assert {each["location"] for each in levels} == {"A-4"}


def misplaced_pallet(stage: Stage) -> None:
    """A pallet is in the wrong warehouse with its batch, another on the wrong shelf."""
    office, pallet = stage.office, f"PAL-{stage.number}"
    here, there = (each["id"] for each in office.get("/v1/wms/warehouses")["warehouses"])
    batch = {"from_warehouse_id": here, "to_warehouse_id": there, "numbers": [pallet, f"{pallet}-2"]}
    transfer = office.post("/v1/wms/transfers", **batch)["transfer"]["id"]
    office.post(f"/v1/wms/transfers/{transfer}/dispatch")
    office.post(f"/v1/wms/transfers/{transfer}/in", numbers=[pallet, f"{pallet}-2"])
    with stage.person("admin") as person:
        person.open("/desk/warehouse")
        person.type("#q", pallet)
        person.press("Enter")
        person.click("warehouse_page.roll_back", id=transfer)
        person.type("reason", "Wrong truck")
        person.click("desk.rehearse")
        person.click("[name=step][value=do]")
        person.sees("desk.done")
        person.type("#q", "PLATE-26")
        person.press("Enter")
        person.click(".move > summary")
        person.type("[name=to]:visible", "S-1")
        person.press("Enter")
        person.sees(".at")
    assert office.get(f"/v1/wms/transfers/{transfer}")["transfer"]["status"] == "rolled_back"
    assert office.get(f"/v1/wms/packages/{pallet}")["package"]["warehouse_id"] == here
    levels = office.get("/v1/wms/stock/levels", sku="PLATE-26")["levels"]
    assert [each["location"] for each in levels] == ["S-1"]


def test_a_misplaced_pallet_is_found_moved_and_its_batch_rolled_back_within_its_budget(
    demo_server: str, demo_database: str, browser: Browser
) -> None:
    stage = Stage(browser, demo_server, demo_database, Taste("de", "desk", "dark"))
    misplaced_pallet(stage)
    clicks, keys, seconds = stage.spent
    print(f"misplaced pallet: {clicks} clicks, {keys} keys, {seconds:.1f} s of waiting")
    assert clicks <= CLICKS_MAX
    assert keys <= KEYS_MAX
    assert set().union(*(person.too_wide for person in stage.people)) == set()
