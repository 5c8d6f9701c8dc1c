"""Tasks of staff: incoming orders, planning a day, and handling problems."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import FilePayload, expect
from pypdfium2 import PdfDocument
from tests.web.jobs.person import Person
from tests.web.jobs.stage import Stage

STREET = """\
LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH
24.9475,60.169,10,Kuninkaankatu,,Helsinki,,,00100,,z
"""
READY = "#board[data-ready=yes]"
ROWS, FAULTY = 200, 10


def run_phone_order(stage: Stage) -> None:
    """A phone order for Zoe, Kuninkaankatu 10; the street is in imported open data."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "helsinki.csv")
        file.write_text(STREET)
        stage.haulier("places", "import", str(file), "--country", "FI")
    with stage.person("admin") as person:
        person.open("/desk")
        person.click("write.create_order")
        person.type("#q", "kuninkaankatu 10")
        person.click(person.page.locator("#addresses a").first)
        person.type("consignee.name", "Zoe Lee")
        person.type("consignee.phone", "+358900000199")
        person.sees(person.page.locator("#price strong").first)
        person.click(person.page.locator("button[name=step][value=do]"))
        person.page.wait_for_url(re.compile(r"/desk/orders/\d+"))
        person.sees("Zoe Lee")
        made = stage.order(int(person.page.url.partition("/orders/")[2].partition("?")[0]))
    where = made["postal_code"], made["lat"], made["lng"]
    assert where == ("00100", 60.169, 24.9475), where


def run_import_with_invalid_rows(stage: Stage) -> None:
    """A spreadsheet of a shop with its own column names; ten rows lack a street."""
    lines = ["Ref,Recipient,Street,Town,Zip"]
    for n in range(ROWS):
        street = "" if n % (ROWS // FAULTY) == 7 else f"Aleksanterinkatu {n + 1}"
        lines.append(f"F{stage.number}-{n:03},Zoe {n},{street},Helsinki,00100")
    with stage.person("admin") as person:
        person.open("/desk/orders")
        person.click("desk.more_acts")
        person.click("write.import_orders")
        file: FilePayload = {"name": "shop.csv", "mimeType": "text/csv", "buffer": "\n".join(lines).encode()}
        person.attach("#file", file)
        person.waits_for(lambda: bool(person.page.locator("input[name=document]").input_value()))
        person.type("country", "FI")
        person.click("desk.check_file")
        if not person.page.locator("button[value=import]").count():
            name_the_columns(person)
        expect(person.page.locator(".outcomes > li")).to_have_count(FAULTY)
        person.click("desk.import_rows", count=ROWS - FAULTY)
        person.waits_for(lambda: imported(stage) == ROWS - FAULTY)
        # During background work the page refreshes itself, which would end another visit.
        expect(person.page.locator("meta[http-equiv=refresh]")).to_have_count(0)
        person.open(f"/desk/orders?search=F{stage.number}-199")
        person.sees(f"F{stage.number}-199")


def name_the_columns(person: Person) -> None:
    """Say which column is what, where the file's own names were not known."""
    for field, column in {"order_ref": "Ref", "name": "Recipient", "address": "Street", "city": "Town"}.items():
        if person.page.locator(f'[name="mapping.{field}"]').input_value() != column:
            person.choose(f'[name="mapping.{field}"]', column)
    person.click("desk.check_again")


def imported(stage: Stage) -> int:
    """Return the number of orders imported from the file."""
    return int(stage.office.get("/v1/orders", search=f"F{stage.number}-", per_page=1)["total"])


def build_correct_and_publish_a_day(stage: Stage) -> None:
    """Twelve orders wait: routes are built, a stop is moved, and drivers see it."""
    day = stage.day_ahead()
    stage.orders(12, scheduled_date=str(day))
    with stage.person("admin") as person:
        person.open(f"/dispatch?day={day}")
        person.sees(person.page.locator(READY))
        person.click("#build")
        person.choose("#seconds", "5")
        person.click("#build-go")
        person.sees(person.page.locator("#build-commit"))
        person.click("#build-commit")
        person.sees("dispatch_page.committed")
        person.sees(person.page.locator("#heads [role=option]").first)
        person.page.locator("#lanes").focus()
        person.press("Home", "ArrowRight", "m", "ArrowRight", "m")
        moved = person.say("dispatch_page.moved", route="|").partition("|")[0].strip()
        person.sees(person.page.locator("#toasts").get_by_text(moved).first)
    routes = stage.office.get("/v1/routes", day=str(day))["routes"]
    assert routes
    assert all(route["published"] for route in routes)


def run_van_breakdown(stage: Stage) -> None:
    """Dana's van stands still; what is aboard goes to Otso."""
    dana = stage.driver("Dana")
    route = stage.route(stage.orders(3, scheduled_date=str(stage.today)), stage.today, dana)
    stage.office.post(f"/v1/routes/{route}/start")
    with stage.person("admin") as person:
        person.open("/desk")
        person.click("desk.section_fleet")
        person.click(person.page.locator(f'a[href="/desk/drivers/{dana}"]').first)
        person.click(person.page.locator(f'a[href="/desk/routes/{route}"]').first)
        person.click("write.hand_over_stops")
        person.pick("driver_id", "Otso")
        person.click("desk.rehearse")
        person.click("[name=step][value=do]")
        person.sees("desk.done")
    stops = stage.office.get(f"/v1/routes/{route}")["route"]["stops"]
    assert not [stop for stop in stops if stop["status"] == "planned"]
    assert stage.office.get("/v1/routes", driver_id=stage.driver("Otso"), status="started")["total"] >= 1


def print_40_labels(stage: Stage) -> None:
    """Forty parcels of a morning go through the printer as one file."""
    stage.orders(40)
    with stage.person("admin") as person:
        person.open(f"/desk/orders?search=J{stage.number}")
        person.click("#tick-all")
        person.choose("#act", "issue_document")
        person.click("desk.go_on")
        person.click("[name=step][value=do]")
        button = person.page.get_by_role("link", name=stage.taste.say("desk.download"), exact=True)
        person.sees(button)
        pdf = person.download(button)
    with TemporaryDirectory() as folder:
        file = Path(folder, "labels.pdf")
        file.write_bytes(pdf)
        assert len(PdfDocument(file)) == 40
