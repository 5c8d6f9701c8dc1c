"""Tracking page in a browser: weight with a near driver, and axe in each state."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.browser import (
    CONSIGNEE,
    DESK_SIZE,
    PHONE_SIZE,
    DemoApi,
    axe_faults,
    needs_chromium,
    open_page,
    sideways_overflow,
)

pytestmark = needs_chromium
LIGHT_BYTES = 60_000
"""Largest size of a tracking page as transferred: page, scripts, styles, fonts and pictures, without map tiles."""
TILES = ".pmtiles"


@pytest.fixture(scope="module")
def base(demo_server: str) -> str:
    return demo_server


@pytest.fixture(scope="module")
def office(base: str) -> DemoApi:
    return DemoApi(base, "admin")


@contextmanager
def transferred(page: Page) -> Generator[dict[str, int]]:
    """Collect the bytes that a page transfers, by address, without a cache."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes: dict[str, int] = {}
    addresses: dict[str, str] = {}
    devtools.on("Network.responseReceived", lambda it: addresses.update({it["requestId"]: it["response"]["url"]}))
    devtools.on(
        "Network.loadingFinished",
        lambda it: sizes.update({addresses.get(it["requestId"], ""): it["encodedDataLength"]}),
    )
    yield sizes


def prove(page: Page, order: Any) -> None:
    """Open a delivery as its recipient."""
    page.goto(f"/track/{order['tracking_number']}")
    page.fill("#proof", order["consignee"]["postal_code"])
    page.locator("#proof").press("Enter")
    page.wait_for_selector(".facts")


def proof_of(order: Any) -> str | None:
    """Return the postal code of the recipient, if any."""
    return (order["consignee"] or {}).get("postal_code")


def orders_with_a_proof(office: DemoApi, status: str) -> Iterator[Any]:
    """Yield the orders whose recipient can prove who they are."""
    listed = office.get("/v1/orders", status=status)["orders"]
    orders = (office.get(f"/v1/orders/{each['id']}")["order"] for each in listed)
    return (order for order in orders if proof_of(order))


def order_with_a_near_driver(base: str, office: DemoApi) -> Any:
    """Return an order whose recipient sees the driver, who reports a position now."""
    now = datetime.now(UTC).isoformat()
    here = {"lat": CONSIGNEE["lat"], "lng": CONSIGNEE["lng"], "occurred_at": now}
    DemoApi(base, "driver").post("/v1/rider/positions", points=[here], sent_at=now)
    for order in orders_with_a_proof(office, "OUT_FOR_DELIVERY"):
        known = {"number": order["tracking_number"], "proof": proof_of(order)}
        access = office.post("/v1/tracking/deliveries/open", **known)["access"]
        if office.post("/v1/tracking/deliveries/position", access=access)["state"] == "live":
            return order
    raise AssertionError("no driver of the demo is near")


def test_the_page_with_the_map_of_a_near_driver_weighs_less_than_60_kb(
    base: str, office: DemoApi, browser: Browser
) -> None:
    order = order_with_a_near_driver(base, office)
    with open_page(browser, base, viewport=PHONE_SIZE) as page:
        prove(page, order)
        with transferred(page) as sizes:
            page.reload()
            expect(page.locator(".driver-map canvas")).to_be_visible()
            page.wait_for_load_state("networkidle")
        light = {address: size for address, size in sizes.items() if TILES not in address}
        print(sum(light.values()), light)
        assert any(TILES in address for address in sizes), "streets are drawn from the tiles of the region"
        assert any("street-picture.js" in address for address in light)
        assert sum(light.values()) < LIGHT_BYTES
        page.locator("#live-map button").click()
        expect(page.locator(".driver-map[data-map]")).to_be_visible()


def new_order(office: DemoApi, *, on_hold: bool = False) -> Any:
    """Create an order, on hold if asked, that no other test plans or releases."""
    order = office.post("/v1/client/orderCreate", consignee=CONSIGNEE | {"postal_code": "00100"})["order"]
    if on_hold:
        office.post(f"/v1/orders/{order['id']}/hold", reason="Waiting for the recipient")
    return office.get(f"/v1/orders/{order['id']}")["order"]


def planned_order(office: DemoApi) -> Any:
    """Create an order on a route of the next day, which no driver begins."""
    order, day = new_order(office), str((datetime.now(UTC) + timedelta(days=1)).date())
    depot = office.get("/v1/depots")["depots"][0]["id"]
    route = office.post("/v1/routes", day=day, depot_id=depot, name=f"Planned {order['id']}")["route"]["id"]
    office.post(f"/v1/routes/{route}/orders", order_ids=[order["id"]])
    return office.get(f"/v1/orders/{order['id']}")["order"]


def order_in_state(office: DemoApi, status: str) -> Any:
    if status in {"NEW_ORDER", "HOLD"}:
        return new_order(office, on_hold=status == "HOLD")
    if status == "PLANNED":
        return planned_order(office)
    return next(orders_with_a_proof(office, status))


@pytest.mark.parametrize("status", ["NEW_ORDER", "PLANNED", "HOLD", "OUT_FOR_DELIVERY", "DELIVERED", "FAILED"])
def test_the_page_of_a_recipient_suits_phone_and_desk_in_each_state(
    base: str, office: DemoApi, browser: Browser, status: str
) -> None:
    order = order_in_state(office, status)
    with open_page(browser, base, viewport=PHONE_SIZE) as page:
        prove(page, order)
        assert not axe_faults(page, PHONE_SIZE, DESK_SIZE)
        assert not sideways_overflow(page)
