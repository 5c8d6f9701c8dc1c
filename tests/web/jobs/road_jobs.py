"""Tasks on the route and at delivery: first parcel, no network, absent recipient."""

import re
from datetime import UTC, datetime, timedelta
from io import BytesIO

from PIL import Image
from playwright.sync_api import FilePayload
from tests.web.browser import CONSIGNEE
from tests.web.jobs.person import Person
from tests.web.jobs.stage import Stage

WINDOW = {"starts": "10:00", "ends": "12:00", "capacity": 2}
POSTAL_LETTERS = "ABCEGHJKLMNPRSTVWXYZ"


def make_photo() -> FilePayload:
    """A picture as a phone takes it."""
    file = BytesIO()
    Image.effect_noise((1600, 1200), 60).convert("RGB").save(file, "JPEG", quality=90)
    return {"name": "door.jpg", "mimeType": "image/jpeg", "buffer": file.getvalue()}


def first_start_to_the_first_delivered_parcel(stage: Stage) -> None:
    """A new server, known only by its output, up to the first delivered bouquet.

    The order has a price and a promised window, and no address of the town is known.
    """
    with stage.new_server() as (stage, setup_link), stage.person(timezone_id="Europe/Berlin") as owner:
        owner.open(setup_link)
        owner.type("business_name", "Blumen Rosa")
        owner.type("name", "Rosa")
        owner.type("#email", "rosa@blumen.example")
        owner.type("#password", "drei rote tulpen")
        owner.press("Enter")
        link = set_up(owner)
        order(owner)
        with stage.person(size="phone") as driver:
            driver.open(link)
            driver.click(driver.page.locator("main button").last)
            drive(driver)
        owner.sees(owner.page.locator(".badge", has_text=owner.say("value.status.delivered")).first)
        owner.click("order_page.tracking_page")
        owner.sees("Blumen Rosa")


def set_up(owner: Person) -> str:
    """The steps of the set-up; the link that lets the driver in."""
    owner.page.wait_for_url("**step=business")
    owner.click("set_up.continue")
    owner.type("#address", "Torstr. 100, Berlin")
    owner.click("set_up.continue")
    owner.type("#name_0", "Max")
    owner.type("#contact_0", "03012345678")
    owner.click("set_up.add_and_show")
    owner.sees(".driver-link img")
    link = owner.page.locator("#link-1").input_value()
    owner.click("set_up.continue")
    owner.type("#price", "6.50")
    owner.sees("#example-prices strong")
    owner.click("set_up.continue")
    return link


def order(owner: Person) -> None:
    """The first order, promised for a window and given to the driver."""
    owner.type("consignee.name", "Ana Kunz")
    owner.type("consignee.address", "Hauptstr. 5")
    owner.type("consignee.city", "Berlin")
    window = owner.page.locator(".windows button[data-today]")
    if window.count():  # there is none in the last hour of the day
        owner.click(window.first)
    owner.sees(owner.page.locator("#price strong", has_text="6"))
    owner.click("set_up.create_and_route", name="Max")
    owner.page.wait_for_url(re.compile(r"/desk/orders/\d+"))
    owner.sees("set_up.not_on_map")


def drive(driver: Person) -> None:
    """Start, hand over where there is no network, and back."""
    driver.sees("go.online")
    # Wait for the response: the page also shows that nothing is pending before the press.
    with driver.page.expect_response(lambda answer: answer.url.endswith("/sync_rider_events")):
        driver.click("go.start")
    driver.sees("go.nothing_waits")
    driver.page.context.set_offline(True)
    driver.click(driver.page.locator("li.stop").first)
    driver.click("go.delivered")
    driver.sees("go.waiting", count=1)
    driver.page.context.set_offline(False)
    driver.page.evaluate("dispatchEvent(new Event('online'))")
    driver.sees("go.nothing_waits")
    driver.click("go.finish")
    driver.sees("go.nothing_waits")


def run_driver_offline(stage: Stage) -> None:
    """Three stops without a network, sent later: photo, cash, and an absent recipient."""
    people = (("Zoe", {}), ("Omar", {"cod_minor": 2_400}), ("Bea", {}))
    made = [
        stage.office.post("/v1/client/orderCreate", consignee={**CONSIGNEE, "name": name}, **more)["order"]["id"]
        for name, more in people
    ]
    route = stage.route(made, stage.today, stage.driver("Dana"))
    with stage.person("driver") as driver:
        page = driver.page
        page.clock.install(time=datetime.now(UTC) - timedelta(hours=2))
        driver.open("/go")
        driver.sees("go.online")
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.reload()
        driver.sees("go.online")
        mine = page.get_by_role("region", name=f"Tour {stage.number}", exact=True)
        driver.click(mine.get_by_role("button", name=driver.say("go.start")))
        driver.waits_for(lambda: stage.office.get(f"/v1/routes/{route}")["route"]["status"] == "started")
        driver.sees("go.nothing_waits")
        page.context.set_offline(True)
        page.clock.fast_forward("01:00:00")
        driver.click(mine.locator("li.stop", has_text="Zoe"))
        driver.attach("#photos", make_photo())
        driver.sees(page.locator(".pictures img"))
        driver.type("#recipient", "Zoe herself")
        driver.click("go.delivered")
        driver.click(mine.locator("li.stop", has_text="Omar"))
        driver.click("go.delivered")
        driver.click(mine.locator("li.stop", has_text="Bea"))
        driver.click("go.fail")
        driver.click(page.locator(".reasons button").first)
        driver.sees("go.waiting", count=4)
        page.reload()
        driver.sees("go.waiting", count=4)
        page.context.set_offline(False)
        page.evaluate("dispatchEvent(new Event('online'))")
        page.clock.fast_forward("00:00:30")
        driver.sees("go.nothing_waits")
    stops = stage.office.get(f"/v1/routes/{route}")["route"]["stops"]
    assert [stop["status"] for stop in stops][:2] == ["completed", "completed"]
    assert stops[2]["status"] in {"failed", "brought_back"}
    assert (stops[0]["proof"]["recipient"], len(stops[0]["proof"]["photo_urls"])) == ("Zoe herself", 1)


def run_recipient_changes_day(stage: Stage) -> None:
    """The link of a message, the postal code, another time, and where to leave it."""
    # Many letters: runs that share a zone fill its windows.
    code = f"M{stage.number % 10}{POSTAL_LETTERS[stage.number // 10 % len(POSTAL_LETTERS)]} {stage.number % 7}T6"
    zone = stage.office.post(
        "/v1/reservations/zones", name=f"Zone {stage.number}", postal_prefixes=[code.partition(" ")[0]]
    )
    for ahead in (2, 3):
        day = str(stage.today + timedelta(days=ahead))
        stage.office.post("/v1/reservations/windows", zone_id=zone["zone"]["id"], day=day, **WINDOW)
    consignee = {**CONSIGNEE, "postal_code": code, "phone": "+14165550142"}
    order = stage.office.post("/v1/client/orderCreate", consignee=consignee)["order"]
    with stage.person() as recipient:
        recipient.open(f"/track/{order['tracking_number']}")
        recipient.type("#proof", code)
        recipient.press("Enter")
        recipient.click(recipient.page.locator("fieldset.windows label").last)
        recipient.click("track.another_time_button")
        recipient.sees("track.told_moved")
        recipient.click(recipient.page.locator("details.change summary").last)
        recipient.type("#instruction", "Side door")
        recipient.click("track.instruct_button")
        recipient.sees("track.told_saved")
    now = stage.order(order["id"])
    assert now["scheduled_date"] == str(stage.today + timedelta(days=3))
