"""Stage of a task: a demo server, a browser, and display preferences of the user."""

import itertools
import json
import os
import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

from playwright.sync_api import Browser
from tests.support.live import make_server
from tests.web.browser import CONSIGNEE, DESK_SIZE, PHONE_SIZE, DemoApi, open_page
from tests.web.jobs.person import Person

from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES, Catalogues

LANGUAGES = tuple(sorted(SUPPORTED_LANGUAGES))
SIZES = {"desk": DESK_SIZE, "phone": PHONE_SIZE}
SCHEMES = ("light", "dark")
HELSINKI = ZoneInfo("Europe/Helsinki")
numbers = itertools.count(os.getpid() * 1000)
"""Numbers that no other task of this process uses."""


@cache
def catalogues() -> Catalogues:
    """The messages of all pages."""
    return Catalogues()


@dataclass(frozen=True)
class Taste:
    """Display preferences of a user."""

    language: str
    size: str
    scheme: str

    def __str__(self) -> str:
        return f"{self.language}-{self.size}-{self.scheme}"

    def say(self, message: str, **params: object) -> str:
        """A message in this language; what is none is said as it is."""
        return catalogues().translate(self.language, message, **params)


EVERY_TASTE = [Taste(*each) for each in itertools.product(LANGUAGES, SIZES, SCHEMES)]


def taste_of(number: int) -> Taste:
    """Return the daily preferences of a task; twelve tasks cover all combinations."""
    return Taste(LANGUAGES[number % 6], [*SIZES][(number + number // 6) % 2], SCHEMES[number // 2 % 2])


@dataclass
class Stage:
    """One play of a job."""

    browser: Browser
    base: str
    database: str
    taste: Taste
    people: list[Person] = field(default_factory=list[Person])
    number: int = field(default_factory=lambda: next(numbers))

    @contextmanager
    def person(self, who: str | None = None, *, size: str | None = None, **more: Any) -> Generator[Person]:
        """Return a signed-in demo user at a browser; drivers always use a phone."""
        words: dict[str, Any] = {
            "viewport": SIZES[size or self.taste.size],
            "locale": self.taste.language,
            "color_scheme": self.taste.scheme,
            **more,
        }
        with open_page(self.browser, self.base, who, **words) as page:
            page.set_default_timeout(60_000)
            person = Person(page, self.taste.say)
            self.people.append(person)
            yield person

    @property
    def spent(self) -> tuple[int, int, float]:
        """Clicks, keys and seconds of waiting of everybody together."""
        people = self.people
        return (
            sum(each.clicks for each in people),
            sum(each.keys for each in people),
            sum(each.seconds for each in people),
        )

    @property
    def office(self) -> DemoApi:
        """The office, for what was there before the job and is there after it."""
        return DemoApi(self.base, "admin")

    @property
    def today(self) -> date:
        """The day of the demo business."""
        return datetime.now(UTC).astimezone(HELSINKI).date()

    def day_ahead(self) -> date:
        """A day that no other job plans."""
        return self.today + timedelta(days=40 + self.number % 3000)

    def orders(self, count: int, **more: Any) -> list[int]:
        """Orders all over the town, with a reference of this play."""
        places = ({"lat": 60.164 + n % 31 / 2_100, "lng": 24.935 + n % 37 / 2_000} for n in range(count))
        asked = [
            {"consignee": {**CONSIGNEE, **place}, "order_ref": f"J{self.number}-{n + 1:03}", **more}
            for n, place in enumerate(places)
        ]
        return [each["order_id"] for each in self.office.post("/v1/orders/bulk", orders=asked)["outcomes"]]

    def route(self, orders: list[int], day: date, driver: int | None = None) -> int:
        """A route with these orders."""
        depot = self.office.get("/v1/depots")["depots"][0]["id"]
        named = {"name": f"Tour {self.number}", **({"driver_id": driver} if driver else {})}
        route = self.office.post("/v1/routes", day=str(day), depot_id=depot, **named)["route"]["id"]
        self.office.post(f"/v1/routes/{route}/orders", order_ids=orders)
        return int(route)

    def driver(self, name: str) -> int:
        """A driver of the demo business, by the beginning of the name."""
        return int(self.office.get("/v1/drivers", search=name)["drivers"][0]["id"])

    def order(self, order: int) -> dict[str, Any]:
        """An order as the office sees it."""
        return dict(self.office.get(f"/v1/orders/{order}")["order"])

    @contextmanager
    def new_server(self) -> Generator[tuple["Stage", str]]:
        """Start a server without accounts; return the setup link it prints."""
        with TemporaryDirectory() as folder, make_server(Path(folder), demo=False) as base:
            told = Path(folder, "server.log").read_text()
            link = re.search(rf"{re.escape(base)}/setup#\S+", told)
            assert link, told
            yield replace(self, base=base, database=""), link[0]

    def haulier(self, *words: str) -> Any:
        """Run a command of the operator."""
        command = [sys.executable, "-m", "haulier", *words, "--database", self.database]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return json.loads(told) if told.startswith(("{", "[")) else told
