"""Tasks of a contractor, a customer, a developer, and the owner on Monday."""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, cast

from tests.web.jobs.person import Person
from tests.web.jobs.stage import Stage

READY = "#board[data-ready=yes]"


def run_contractors_week(stage: Stage) -> None:
    """Orders are offered, accepted, routed and shown to the driver; then the week."""
    day = stage.day_ahead()
    orders = stage.orders(6, scheduled_date=str(day))
    users = stage.office.get("/v1/users", search="contractor")["users"]
    contractor = next(user["id"] for user in users if user["email"] == "contractor@demo.example")
    stage.office.post("/v1/broker-order-assignments", order_ids=orders, broker_id=contractor)
    with stage.person("contractor") as person:
        person.open("/desk")
        person.click("desk.section_orders")
        tick_mine(person, stage, "accept_broker_order_assignments")
        person.click("[name=step][value=do]")
        person.sees("desk.done")
        person.click("desk.section_fleet")
        person.click("fleet_page.add_drivers")
        person.type("name", f"Dilan {stage.number}")
        person.click("[name=step][value=do]")
        person.click("dispatch_page.title")
        person.sees(person.page.locator(READY))
        person.type("#day", str(day))
        person.page.wait_for_url(f"**day={day}*")
        person.sees(person.page.locator(READY))
        person.click("#new-route")
        person.type("#route-name", "Week")
        driver = person.page.locator("#route-driver option", has_text=f"Dilan {stage.number}")
        person.choose("#route-driver", driver.get_attribute("value") or "")
        person.click("dispatch_page.new_route_go")
        person.sees(person.page.locator("#heads [aria-selected=true]"))
        person.click("desk.title")
        person.click("desk.section_orders")
        tick_mine(person, stage, "add_orders_to_route")
        person.pick("route_id", "Week")
        person.click("[name=step][value=do]")
        person.sees("desk.done")
        person.click("desk.section_insights")
        person.click("desk.last_days", days=7)
        person.sees("desk.by_day")
    (route,) = stage.office.get("/v1/routes", day=str(day))["routes"]
    assert (route["stops_total"], route["driver_id"] is not None) == (6, True)


def tick_mine(person: Person, stage: Stage, act: str) -> None:
    """Find the orders of this play, tick all of them and choose what to do."""
    person.type("search", f"J{stage.number}")
    person.press("Enter")
    person.sees(f"J{stage.number}-001")
    person.click("#tick-all")
    person.choose("#act", act)
    person.click("desk.go_on")


def run_quote_to_proof(stage: Stage) -> None:
    """A shop asks what it costs, orders, and sees who took the parcel."""
    with stage.person("customer") as person:
        person.open("/desk")
        person.click("desk.shop_order")
        for field, text in {"name": "Zoe Lee", "address": "1 King St W", "city": "Toronto"}.items():
            person.type(f"consignee.{field}", text)
        person.type("consignee.postal_code", "M5V 2T6")
        person.sees(person.page.locator("#price strong").first)
        person.click(person.page.locator("button[name=step][value=do]"))
        person.page.wait_for_url(re.compile(r"/desk/orders/\d+"))
        order = int(person.page.url.partition("/orders/")[2].partition("?")[0])
        delivered(stage, order)
        person.open("/desk")
        person.click("desk.section_orders")
        person.click(person.page.locator(f'a[href="/desk/orders/{order}"]').first)
        person.click("[href*=get_order_proof]")
        person.sees("Zoe herself")


def delivered(stage: Stage, order: int) -> None:
    """A driver brings an order today."""
    route = stage.route([order], stage.today, stage.driver("Otso"))
    office = stage.office
    office.post(f"/v1/routes/{route}/start")
    (stop,) = office.get(f"/v1/routes/{route}")["route"]["stops"]
    office.post(f"/v1/routes/{route}/stops/{stop['id']}/deliver", recipient="Zoe herself")


class Receiver(ThreadingHTTPServer):
    """A developer's own program, which keeps what was posted to it."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Taker)
        self.taken: list[tuple[dict[str, str], bytes]] = []

    def events(self, secret: str) -> list[str]:
        """The events that came and are signed with a secret."""
        return [json.loads(body)["event"] for headers, body in self.taken if signed(headers, body, secret)]


class _Taker(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        cast(Receiver, self.server).taken.append(({name.lower(): value for name, value in self.headers.items()}, body))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def signed(headers: dict[str, str], body: bytes, secret: str) -> bool:
    """Return True if a message is signed with a secret (Standard Webhooks)."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    ours = "v1," + base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()
    return ours in headers["webhook-signature"].split()


@contextmanager
def receiver() -> Generator[Receiver]:
    """A receiver on this machine."""
    with Receiver() as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def run_first_webhook(stage: Stage) -> None:
    """An address is set, tried, and an order is announced to it, signed."""
    stage.office.put("/v1/webhook-settings", endpoints=[])
    with receiver() as mine, stage.person("admin") as person:
        url = f"http://127.0.0.1:{mine.server_port}/hook"
        person.open("/desk")
        person.click("desk.section_developers")
        person.click("[href='/desk/act/update_webhook_settings']")
        person.type("endpoints.0.url", url)
        person.click(person.page.locator('input[name="endpoints.0.events"][value="order.created"]'))
        person.click("[name=step][value=do]")
        shown = person.page.get_by_text(re.compile("whsec_[A-Za-z0-9+/=]+")).first
        person.sees(shown)
        secret = re.findall("whsec_[A-Za-z0-9+/=]+", shown.inner_text())[0]
        person.click("desk.section_developers")
        person.click("[href='/desk/act/test_webhook_delivery']")
        person.type("url", url)
        person.click("[name=step][value=do]")
        person.sees("204")
        stage.orders(1)
        person.waits_for(lambda: "order.created" in mine.events(secret))
        person.click("desk.section_developers")
        person.click("noun.webhook-delivery-logs")
        person.sees(person.page.get_by_role("cell", name="order.created").first)


def the_owners_monday_figures(stage: Stage) -> None:
    """The week as a file for the accountant, and an email every Monday."""
    with stage.person("admin") as person:
        person.open("/desk")
        person.click("desk.section_insights")
        person.click("desk.last_days", days=7)
        person.sees("desk.by_driver")
        file = person.download("desk.as_file")
        letter = person.page.locator(".letter a.button")
        person.click(letter)
        person.click("[name=step][value=do]")
        person.sees("desk.done")
    assert len(file.decode().splitlines()) >= 2


PAID, DISPUTED = 3, 2
PAYDAY_CLICKS = 8
"""Clicks of the office alone on a payday; the contractor's come on top."""


def run_contractors_payday(stage: Stage) -> None:
    """Three contractors and drivers are paid; one of them disputes two stops."""
    office = stage.office
    users = office.get("/v1/users", search="contractor")["users"]
    contractor = next(user["id"] for user in users if user["email"] == "contractor@demo.example")
    pay_everything(stage)
    payees = [("contractor", contractor), ("driver", stage.driver("Otso")), ("driver", stage.driver("Dana"))]
    for kind, payee in payees:
        for _ in range(DISPUTED):
            about: dict[str, Any] = {"payee_kind": kind, "payee_id": payee, "reason": f"Stop {stage.number}"}
            office.post("/v1/pay/adjustments", amount_minor=150, **about)
    with stage.person("admin") as admin:
        admin.open("/desk")
        admin.click("desk.section_billing")
        admin.click("payouts_page.open")
        admin.click("payouts_page.create")
        admin.sees("payouts_page.done_create", count=PAID)
        (own,) = office.get("/v1/pay/payouts", status="open", payee_kind="contractor")["payouts"]
        dispute_two_lines(stage, own["id"])
        admin.open("/desk/payout-run")
        admin.click("payouts_page.disputed", count=DISPUTED)
        admin.type("#amount", "4.80" if stage.taste.language in ("en", "zh-Hans", "zh-Hant") else "4,80")
        admin.click("payouts_page.accept")
        admin.click("payouts_page.pay")
        admin.sees("payouts_page.done_pay", count=PAID)
        assert admin.clicks <= PAYDAY_CLICKS
    paid = office.get("/v1/pay/payouts", status="paid", per_page=PAID)["payouts"]
    assert sorted(each["total_minor"] for each in paid) == [300, 300, 960]


def pay_everything(stage: Stage) -> None:
    """Pay all earnings of other tasks, so that only those of this one are open."""
    if stage.office.get("/v1/pay/payout-preview")["candidates"]:
        stage.office.post("/v1/pay/payouts")
    if waiting := stage.office.get("/v1/pay/payouts", status="open", disputed=False)["payouts"]:
        stage.office.post("/v1/pay/payouts/pay", payout_ids=[each["id"] for each in waiting])


def dispute_two_lines(stage: Stage, payout: int) -> None:
    """The contractor ticks two stops of the newest statement and says why."""
    with stage.person("contractor") as person:
        person.open("/desk/payouts")
        person.click(person.page.locator(f'a[href="/desk/payouts/{payout}"]').first)
        for place in range(DISPUTED):
            person.click(person.page.locator("input[name=earning]").nth(place))
        person.type("#reason", "Both were delivered")
        person.click("payouts_page.dispute")
        person.sees("desk.done")
