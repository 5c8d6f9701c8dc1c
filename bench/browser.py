"""Load times and transfer sizes of pages in Chromium: `python -m bench.browser`.

Each page is opened with an empty cache, at full speed and with network and processor throttled over the DevTools
protocol. A page is interactive when all of its scripts have run; the board also has to show the day and accept keys.
Sizes include everything that a page requests by itself until no more data arrives, including streams and map tiles, but
not what a button requests (the map of a parcel in transit). Results are medians of several runs. `--page` measures some
pages and writes nothing.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec import Struct
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page
from rich.console import Console
from tests.support.live import make_server
from tests.web.boards import make_day
from tests.web.browser import DESK_SIZE, PHONE_SIZE, PLAIN_SESSION_COOKIE, DemoApi, open_browser, token_of
from tests.web.plans import make_load_plan

from bench.page import circumstances, markdown_table

RESULTS = Path(__file__).with_name("BROWSER.md")
BOARD_DAY = datetime.now(UTC).date() + timedelta(days=300)
TURNS = 5
SLOW = {"offline": False, "latency": 150, "downloadThroughput": 1_638_400 / 8, "uploadThroughput": 768_000 / 8}
"""Slow 4G as in Lighthouse: 1.6 Mbit/s down, 150 ms round trip."""
SLOW_PROCESSOR = 4
PALETTE_MS = 50.0
QUIET_MS = 1_500
"""Time without new data after which the transfer is measured."""
IS_USABLE = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
READY = "document.getElementById('board').dataset.ready === 'yes' ? performance.now() : 0"
PALETTE = """async (typed) => {
  const [words, found] = ["palette-words", "palette-found"].map((id) => document.getElementById(id));
  const began = performance.now();
  const answered = new Promise((done) => {
    new MutationObserver(() => done(performance.now() - began)).observe(found, { childList: true });
  });
  words.value = typed;
  words.dispatchEvent(new Event("input", { bubbles: true }));
  return await answered;
}"""


class Target(Struct, frozen=True):
    """A page and its targets."""

    name: str
    address: str
    who: str | None = None
    here_ms: float | None = 300
    slow_ms: float | None = 2_000
    page_kb: float | None = None
    """Size of the document alone, compressed."""
    all_kb: float | None = None
    """Size of everything that the page requests."""
    ready: str = IS_USABLE
    """Expression that is above 0 once the page is usable: milliseconds since the request."""


class Measurement(Struct, frozen=True):
    """Median results of one page."""

    here_ms: float
    slow_ms: float
    page_kb: float
    all_kb: float


def targets(tracked: str, load_plan: int) -> list[Target]:
    """Return the measured pages with their targets."""
    return [
        Target("Today", "/desk", "admin"),
        Target("Orders, 50 rows", "/desk/orders?per_page=50", "admin", page_kb=30),
        Target("An order", "/desk/orders/1", "admin"),
        Target("New order", "/desk/new-order", "admin"),
        Target("Insights", "/desk/insights", "admin"),
        Target("Load plan, 60 pieces", f"/desk/load-plans/{load_plan}", "admin", page_kb=90, all_kb=120),
        Target("Board, 1,000 stops", f"/dispatch?day={BOARD_DAY}", "admin", 1_500, None, ready=READY),
        Target("Driver's day", "/go", "driver", slow_ms=None),
        Target("Tracking", f"/track/{tracked}", all_kb=100),
    ]


def main() -> int:
    """Measure, print and store results; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.browser", description=__doc__)
    parser.add_argument("--page", default="", help="a part of the names of pages: writes nothing")
    parser.add_argument("--turns", type=int, default=TURNS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, make_server(Path(folder)) as base, open_browser() as browser:
        office = DemoApi(base, "admin")
        make_day(office, BOARD_DAY, *([50] * 20))
        load_plan = make_load_plan(office, "BENCH", orders=12, packages=5)
        tracked = office.get("/v1/orders", status="DELIVERED", per_page=1)["orders"][0]["tracking_number"]
        measured = [
            (target, measure(browser, base, target, given.turns))
            for target in targets(tracked, load_plan)
            if given.page.lower() in target.name.lower()
        ]
        palette = palette_ms(browser, base, given.turns)
    missed = [*(line for target, found in measured for line in missed_by(target, found)), *missed_by_palette(palette)]
    lines = page_of(measured, palette, missed)
    Console().print("\n".join(lines))
    if not given.page:
        RESULTS.write_text("\n".join([*lines, ""]))
    return int(bool(missed))


def measure(browser: Browser, base: str, target: Target, turns: int) -> Measurement:
    """Measure a page at full speed and throttled, each time with an empty cache."""
    here = [once(browser, base, target) for _ in range(turns)]
    slow = [once(browser, base, target, slow=True) for _ in range(turns)]
    middle: Callable[[list[float]], float] = statistics.median
    return Measurement(
        here_ms=middle([each[0] for each in here]),
        slow_ms=middle([each[0] for each in slow]),
        page_kb=middle([each[1] for each in here]),
        all_kb=middle([each[2] for each in here]),
    )


def once(browser: Browser, base: str, target: Target, *, slow: bool = False) -> tuple[float, float, float]:
    """Return milliseconds until usable, kilobytes of the document, and of everything."""
    with make_page(browser, base, target.who, slow=slow) as (page, wire):
        weights: dict[str, float] = {}
        documents: list[str] = []
        wire.on("Network.requestWillBeSent", lambda event: note_document(event, documents))
        wire.on(
            "Network.loadingFinished", lambda event: weights.update({event["requestId"]: event["encodedDataLength"]})
        )
        page.goto(target.address, wait_until="load")
        usable = 0.0
        while not usable:
            usable = float(page.evaluate(target.ready) or 0)
        known = -1.0
        while known < sum(weights.values()):
            known = sum(weights.values())
            page.wait_for_timeout(QUIET_MS)
        return usable, weights.get(documents[0], 0) / 1000, sum(weights.values()) / 1000


def note_document(event: dict[str, Any], documents: list[str]) -> None:
    """Record the request of the page itself."""
    if event.get("type") == "Document":
        documents.append(event["requestId"])


@contextmanager
def make_page(
    browser: Browser, base: str, who: str | None, *, slow: bool = False
) -> Generator[tuple[Page, CDPSession]]:
    """Yield a page with an empty cache and its DevTools session; a phone if slow."""
    size: Any = PHONE_SIZE if slow else DESK_SIZE
    context: BrowserContext = browser.new_context(base_url=base, viewport=size)
    if who:
        context.add_cookies([{"name": PLAIN_SESSION_COOKIE, "value": token_of(base, who), "url": base}])
    page = context.new_page()
    page.set_default_timeout(120_000)
    wire = context.new_cdp_session(page)
    wire.send("Network.enable")
    if slow:
        wire.send("Network.emulateNetworkConditions", SLOW)
        wire.send("Emulation.setCPUThrottlingRate", {"rate": SLOW_PROCESSOR})
    try:
        yield page, wire
    finally:
        context.close()


def palette_ms(browser: Browser, base: str, turns: int) -> float:
    """Return the time from typing a letter into the palette until its results appear."""
    with make_page(browser, base, "admin") as (page, _):
        page.goto("/desk")
        page.keyboard.press("Control+k")
        page.evaluate(PALETTE, "warm")
        return statistics.median(page.evaluate(PALETTE, f"demo-00{n:02}") for n in range(1, 4 * turns))


def missed_by(target: Target, found: Measurement) -> Iterator[str]:
    """Yield the targets that a page misses."""
    for what, wanted, unit in (
        ("here_ms", target.here_ms, "ms here"),
        ("slow_ms", target.slow_ms, "ms where everything is slow"),
        ("page_kb", target.page_kb, "kB of the page"),
        ("all_kb", target.all_kb, "kB in all"),
    ):
        if wanted is not None and getattr(found, what) > wanted:
            yield f"{target.name}: {getattr(found, what):.0f} {unit}, wanted {wanted:.0f}"


def missed_by_palette(measured: float) -> list[str]:
    """Return the missed target of the palette, if any."""
    return [f"palette: {measured:.0f} ms, wanted {PALETTE_MS:.0f}"] if measured > PALETTE_MS else []


def page_of(measured: list[tuple[Target, Measurement]], palette: float, missed: list[str]) -> list[str]:
    """Return the lines of the results page."""
    rows = [
        [target.name, *(f"{each:.0f}" for each in (found.here_ms, found.slow_ms, found.page_kb, found.all_kb))]
        for target, found in measured
    ]
    columns = ("page", "here, ms", "slow 4G, slow phone, ms", "page, kB", "all of it, kB")
    return [
        "# Pages in a browser",
        "",
        "Time until a page is usable in Chromium with an empty cache, and bytes transferred. Slow is 1.6 Mbit/s, 150 ms and a",
        "processor four times slower. Server, browser and other programs shared the cores of one machine.",
        "",
        *circumstances(),
        "",
        *markdown_table(columns, rows),
        "",
        f"The palette shows results for a letter after {palette:.0f} ms.",
        "",
        *(["Targets missed:", "", *(f"- {line}" for line in missed)] if missed else ["Every target is met."]),
    ]


if __name__ == "__main__":
    sys.exit(main())
