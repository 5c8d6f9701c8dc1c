"""`python -m scripts.screenshots`: a picture of every page at desk and phone size in docs/images/pages, and a page with them.

A demo server of its own is started, and what its pages need is made. A part of a name makes only the pictures with it.
"""

import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

from PIL import Image
from playwright.sync_api import Browser, Page
from tests.support.live import a_server
from tests.web.boards import a_day
from tests.web.browser import DESK_SIZE, PHONE_SIZE, DemoApi, open_browser, open_page
from tests.web.plans import a_load_plan

FOLDER = Path(__file__).parent.parent / "docs" / "images" / "pages"
SIZES = {"desk": DESK_SIZE, "phone": PHONE_SIZE}
TALLEST = {"desk": 1400, "phone": 1700}
WIDTH = {"desk": 1000, "phone": 390}
QUALITY = 72
STICKY = ("board", "board-of-tomorrow", "approval", "approvals", "palette")
"""Pages of which something stays in sight: a picture of all of them would show it in the middle."""
DARK = ("today", "board", "go", "track", "load-plan")
"""Pages that are shown in the dark, too."""


class Shot(NamedTuple):
    """A page: its name, who opens it where, and what is pressed before the picture is taken."""

    name: str
    who: str | None
    address: str
    press: str = ""


def shots(base: str) -> Iterator[Shot]:
    """Every page, with something on it."""
    office = DemoApi(base, "admin")
    orders = office.get("/v1/orders", status="DELIVERED", per_page=1)["orders"]
    day = datetime.now(UTC).astimezone(ZoneInfo("America/Toronto")).date() + timedelta(days=1)
    a_day(office, day, 6, 5)
    approval = office.a_proposal()
    yield from public_pages(orders[0]["tracking_number"])
    yield from desk_pages(orders[0]["id"])
    yield from plan_pages(a_load_plan(office, "SHOWN", orders=6, packages=5))
    yield Shot("board", "admin", "/dispatch")
    yield Shot("board-of-tomorrow", "admin", f"/dispatch?day={day}")
    yield Shot("board-as-a-list", "admin", "/dispatch/list")
    yield Shot("approvals", "admin", "/mcp-approvals")
    yield Shot("approval", "admin", f"/mcp-approvals/{approval}")
    yield Shot("shop", "customer", "/desk")
    yield Shot("shop-new-order", "customer", "/desk/new-order")
    yield Shot("contractor", "contractor", "/desk")
    yield Shot("go", "driver", "/go")
    yield Shot("go-stop", "driver", "/go", "li.stop >> nth=0")
    yield Shot("go-offers", "driver", "/go#offers")
    yield Shot("go-routes-to-take", "driver", "/go#board")
    yield Shot("go-money", "driver", "/go#money")
    yield Shot("handheld", "admin", "/handheld")
    yield Shot("proof", "admin", f"/orders/{orders[0]['id']}/proof")


def public_pages(tracked: str) -> Iterator[Shot]:
    """Pages for anybody."""
    yield Shot("start", None, "/")
    yield Shot("sign-in", None, "/sign-in")
    yield Shot("sign-in-link", None, "/sign-in-link")
    yield Shot("forgotten-password", None, "/forgotten-password")
    yield Shot("invitation", None, "/invitation")
    yield Shot("track-a-parcel", None, "/track")
    yield Shot("track", None, f"/track/{tracked}")
    yield Shot("delivery-pin", None, f"/track/{tracked}/pin")
    yield Shot("verify", None, "/verify")
    yield Shot("kiosk", None, "/kiosk")
    yield Shot("pay", None, "/pay")
    yield Shot("reference", None, "/api/docs")
    yield Shot("no-such-page", None, "/nowhere")


def desk_pages(order: int) -> Iterator[Shot]:
    """Pages of the office."""
    yield Shot("today", "admin", "/desk")
    yield Shot("set-up", "admin", "/desk/set-up")
    yield Shot("orders", "admin", "/desk/orders")
    yield Shot("order", "admin", f"/desk/orders/{order}")
    yield Shot("new-order", "admin", "/desk/new-order")
    yield Shot("import-orders", "admin", "/desk/import-orders")
    yield Shot("routes", "admin", "/desk/routes")
    yield Shot("route", "admin", "/desk/routes/1")
    yield Shot("hand-over", "admin", "/desk/act/hand_over_stops?route_id=1")
    yield Shot("print-labels", "admin", "/desk/act/issue_document?kind=labels&order_ids=1%0A2%0A3")
    yield Shot("drivers", "admin", "/desk/drivers")
    yield Shot("driver", "admin", "/desk/drivers/1")
    yield Shot("bookings", "admin", "/desk/bookings")
    yield Shot("insights", "admin", "/desk/insights")
    yield Shot("lockers", "admin", "/desk/lockers")
    yield Shot("webhooks", "admin", "/desk/act/update_webhook_settings")
    yield Shot("palette", "admin", "/desk", "#open-palette")
    yield Shot("agent", "admin", "/desk/agent")
    yield Shot("nothing-there", "admin", "/desk/nothing-of-the-kind")
    for section in ("orders", "dispatch", "fleet", "shipping", "warehouse", "places", "money", "insights", "settings"):
        yield Shot(f"section-{section}", "admin", f"/desk/sections/{section}")


def plan_pages(load_plan: int) -> Iterator[Shot]:
    """Pages on which people plan what goes where."""
    yield Shot("load-plan", "admin", f"/desk/load-plans/{load_plan}?step=20")
    yield Shot("load-plan-layers", "admin", f"/desk/load-plans/{load_plan}?view=layers&colour=weight")
    yield Shot("load-plan-3d", "admin", f"/desk/load-plans/{load_plan}", "#open-space")
    yield Shot("plan-a-load", "admin", "/desk/plan-loading")
    yield Shot("choose-cartons", "admin", "/desk/choose-cartons")


def main() -> int:
    """Take the pictures, and write the page."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, a_server(Path(folder)) as base, open_browser() as browser:
        taken = list(shots(base))
        for shot in taken:
            if wanted in shot.name:
                print(shot.name, flush=True)
                take(browser, base, shot)
    (FOLDER / "README.md").write_text("\n".join(gallery(taken)))
    print(f"{sum(file.stat().st_size for file in FOLDER.iterdir()) / 1e6:.1f} MB")
    return 0


def take(browser: Browser, base: str, shot: Shot) -> None:
    """One page at each size, and in the dark where it is shown so."""
    for size, viewport in SIZES.items():
        for scheme in ("light", "dark") if shot.name in DARK else ("light",):
            with open_page(browser, base, shot.who, viewport=viewport, color_scheme=scheme) as page:
                open_shot(page, shot)
                keep(
                    page,
                    size,
                    shot.name not in STICKY,
                    FOLDER / f"{shot.name}-{size}{'-dark' if scheme == 'dark' else ''}.webp",
                )


def open_shot(page: Page, shot: Shot) -> None:
    """Open a page and wait until it is quiet."""
    page.goto(shot.address)
    if page.locator("#board").count():
        page.locator("#board[data-ready=yes]").wait_for()
    if page.locator("#go[data-user]").count():
        page.locator("#line:not(:empty)").wait_for()
        page.locator("#view > :not(p.empty)").first.wait_for()
    if shot.press and page.locator(shot.press).count():
        page.locator(shot.press).click()
    page.wait_for_timeout(600)


def keep(page: Page, size: str, whole_page: bool, file: Path) -> None:
    """Take the picture of a page as far as it is worth looking at, and make it small."""
    whole = Image.open(BytesIO(page.screenshot(full_page=whole_page)))
    seen = whole.crop((0, 0, whole.width, min(whole.height, TALLEST[size])))
    small = seen.resize((WIDTH[size], round(seen.height * WIDTH[size] / seen.width)), Image.Resampling.LANCZOS)
    small.convert("RGB").save(file, "WEBP", quality=QUALITY, method=6)


def gallery(taken: list[Shot]) -> Iterator[str]:
    """The page that shows them."""
    yield "# Every page\n\nMade by `make screenshots` from the demo business: at a desk, on a phone, some in the dark.\n"
    for shot in taken:
        title = shot.name.replace("-", " ").capitalize()
        yield f"## {title}\n"
        for suffix in ("", "-dark") if shot.name in DARK else ("",):
            shown = (f"![{title}, {size}]({shot.name}-{size}{suffix}.webp)" for size in SIZES)
            yield " ".join(shown) + "\n"


if __name__ == "__main__":
    sys.exit(main())
