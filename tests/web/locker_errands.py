"""Parcels that drivers bring to lockers."""

import re
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from playwright.sync_api import Locator, Page, expect
from tests.web.browser import CONSIGNEE
from tests.web.locker_sites import Site

LIVE_MS = 60_000
NOTHING_WAITS = re.compile(r"^\D+$")


class Errand:
    """A route of today for the demo driver with one site and a reserved box."""

    def __init__(self, site: Site, **terms: Any) -> None:
        self.office = site.office
        self.order = self.office.post("/v1/client/orderCreate", consignee=CONSIGNEE)["order"]["id"]
        self.office.put(f"/v1/orders/{self.order}/locker", site_id=site.id, **terms)
        driver = self.office.get("/v1/drivers", search="Dana")["drivers"][0]["id"]
        depot = self.office.get("/v1/depots")["depots"][0]["id"]
        day = datetime.now(UTC).astimezone(ZoneInfo("Europe/Helsinki")).date().isoformat()
        self.name = f"Locker {self.order}"
        made = self.office.post("/v1/routes", day=day, depot_id=depot, driver_id=driver, name=self.name)
        self.route = made["route"]["id"]
        self.office.post(f"/v1/routes/{self.route}/orders", order_ids=[self.order])

    def begin(self, page: Page) -> None:
        """Open the day and start the route; the server knows of it at the end."""
        page.goto("/go")
        acts = self.section(page).locator(":scope > .acts")
        acts.get_by_role("button").first.click()
        expect(acts).to_have_count(0)
        expect(page.locator("#waiting")).to_have_text(NOTHING_WAITS, timeout=LIVE_MS)

    def section(self, page: Page) -> Locator:
        return page.get_by_role("region", name=self.name)

    def open_stop(self, page: Page) -> Locator:
        """Open the stop; what it says of the locker."""
        self.section(page).locator("li.stop").click()
        locker = page.locator("section[aria-labelledby=locker-title]")
        expect(locker).to_be_visible()
        return locker

    def stop(self) -> Any:
        return self.office.get(f"/v1/routes/{self.route}")["route"]["stops"][0]

    def delivery(self) -> Any:
        return self.office.get(f"/v1/orders/{self.order}/locker")["delivery"]
