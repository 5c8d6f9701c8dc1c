"""Demo records for screenshots: plans, lockers, firmware, payments, chats."""

from base64 import b64encode
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from tests.contexts.lockers.luggage.examples import HOTEL, SERVICE, TRAVELLER
from tests.web.boards import make_day
from tests.web.browser import CONSIGNEE, DemoApi
from tests.web.cards import take_cards
from tests.web.locker_errands import Errand
from tests.web.locker_sites import Site
from tests.web.plans import make_load_plan

CARTONS = {"S": (200, 150, 100), "M": (300, 250, 200), "L": (500, 350, 300)}
PIECES = [
    {"id": "teapot", "length_mm": 240, "width_mm": 160, "height_mm": 120, "weight_g": 900, "fragile": True},
    {"id": "mug", "length_mm": 95, "width_mm": 95, "height_mm": 95, "weight_g": 300, "quantity": 12},
    {"id": "plate", "length_mm": 260, "width_mm": 260, "height_mm": 30, "weight_g": 650, "quantity": 8},
]
CHAT = ("Which door is it?", "We come between two and four.")


@dataclass(frozen=True)
class Shown:
    """Ids and addresses of the created records."""

    tomorrow: date
    delivered: dict[str, Any]
    """A delivered order."""
    chat: int
    """An order with messages between staff and recipient."""
    approval: int
    load_plan: int
    packing_plan: int
    site: Site
    rollout: int
    pay_link: str


def make_all(base: str) -> Shown:
    """Create all records on a demo server."""
    office = DemoApi(base, "admin")
    tomorrow = datetime.now(UTC).astimezone(ZoneInfo("Europe/Helsinki")).date() + timedelta(days=1)
    make_day(office, tomorrow, 6, 5)
    site = Site(base)
    for _ in range(3):
        site.parcel()
    errand = Errand(site)
    DemoApi(base, "driver").post(f"/v1/routes/{errand.route}/start")
    return Shown(
        tomorrow=tomorrow,
        delivered=office.get("/v1/orders", status="DELIVERED", per_page=1)["orders"][0],
        chat=make_chat(office),
        approval=office.make_proposal(),
        load_plan=make_load_plan(office, "SHOWN", orders=6, packages=5),
        packing_plan=make_packing_plan(office),
        site=site,
        rollout=make_rollout(office, site),
        pay_link=make_payment(office, DemoApi(base, "customer")),
    )


def make_chat(office: DemoApi) -> int:
    """Create an order with chat messages, and enable the operations agent."""
    for family in ("order_chat", "operations_ai_agent"):
        office.put(f"/v1/client/profile/features/{family}", enabled=True)
    order = office.post("/v1/client/orderCreate", consignee={**CONSIGNEE, "postal_code": "M5H 1A1"})["order"]
    access = office.post("/v1/tracking/deliveries/open", number=order["tracking_number"], proof="M5H 1A1")["access"]
    for text in CHAT:
        office.post(f"/v1/order-chats/{order['id']}/messages", text=text)
    office.post("/v1/tracking/deliveries/chat/messages", access=access, text="The blue one, at the side. Thank you!")
    return int(order["id"])


def make_packing_plan(office: DemoApi) -> int:
    """Create a packing plan of cups and plates in cartons."""
    for at, (code, inner) in enumerate(CARTONS.items()):
        edges = zip(("length", "width", "height"), inner, strict=True)
        sizes = {
            f"{side}_{edge}_mm": size + more for edge, size in edges for side, more in (("inner", 0), ("outer", 8))
        }
        words = {"name": f"Carton {code}", "payload_g": 20_000, "cost_minor": 60 + 45 * at}
        office.post("/v1/packing/cartons", code=code, **words, **sizes)
    asked = {"pieces": PIECES, "target_utilization_percent": 90}
    answer = office.post("/v1/packing/pack", **asked)
    names = ("piece", "x_mm", "y_mm", "z_mm", "turn")
    places = [
        {"carton": carton["number"], **{name: place[name] for name in names}}
        for carton in answer["cartons"]
        for place in carton["placements"]
    ]
    cartons = [carton["carton_id"] for carton in answer["cartons"]]
    plan = {**asked, "cartons": cartons, "placements": places, "input_hash": answer["input_hash"]}
    return int(office.post("/v1/packing/plans", **plan, order_id=office.make_order()["id"])["plan"]["id"])


def make_rollout(office: DemoApi, site: Site) -> int:
    """Create a firmware rollout to a locker bank."""
    now = datetime.now(UTC).isoformat()
    site.sequence += 1
    site.says("device/state", credential=site.credential, sequence=site.sequence, sent_at=now, firmware="2.4.1")
    file = b64encode(b"cabinet firmware 2.6.0").decode()
    release = office.post("/v1/firmware/releases", version="2.6.0", content=file, notes="Quieter doors")["release"][
        "id"
    ]
    office.post("/v1/firmware/releases", version="2.7.0", content=file, notes="Doors say how warm they are")
    terms = {"share_pct": 100, "max_failure_pct": 10}
    rollout = office.post("/v1/firmware/rollouts", firmware_release_id=release, **terms)["rollout"]["id"]
    office.post(f"/v1/firmware/rollouts/{rollout}/start")
    return int(rollout)


def make_payment(office: DemoApi, customer: DemoApi) -> str:
    """Create a payment link for luggage."""
    take_cards(office)
    office.post("/v1/billing/services", **SERVICE)
    now = datetime.now(UTC)
    times = {"drop_from": 1, "drop_until": 3, "pick_from": 6}
    words = {name: (now + timedelta(hours=hours)).isoformat() for name, hours in times.items()}
    places = {"origin": {"kind": "address", "address": "1 King St W", "city": "Toronto"}, "destination": HOTEL}
    bags = [{"size": "m", "description": "Blue, with a red ribbon"}]
    wish = {"service_code": SERVICE["code"], "bags": bags, "traveller": TRAVELLER}
    booked = customer.post("/v1/luggage", **wish, **places, **words)["luggage"]
    return str(office.post("/v1/payment-links", purpose="luggage", subject_id=booked["id"])["link"])
