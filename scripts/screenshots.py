"""Screenshots of every page at desktop and phone size, in docs/images/pages.

`python -m scripts.screenshots` starts a demo server, creates the required records, and writes a page with all
screenshots. A part of a name restricts it to matching pages.
"""

import sys
import tempfile
from base64 import b64encode
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Browser, Page
from scripts.shown import Shown, make_all
from tests.support.live import make_server
from tests.web.browser import DESK_SIZE, PHONE_SIZE, open_browser, open_page
from tests.web.cards import make_simulated_stripe

from haulier.adapters.vault import KEY_BYTES
from haulier.web.desk.places import declarations

FOLDER = Path(__file__).parent.parent / "docs" / "images" / "pages"
SIZES = {"desk": DESK_SIZE, "phone": PHONE_SIZE}
TALLEST = {"desk": 1400, "phone": 1700}
WIDTH = {"desk": 1000, "phone": 390}
QUALITY = 72
STICKY = ("board", "board-of-tomorrow", "approval", "approvals", "palette")
"""Pages with sticky elements: a full-page screenshot would show these in the middle."""
MISSING = ("no-such-page", "nothing-there")
"""Pages for missing records."""
DARK = ("today", "orders", "board", "go", "track", "load-plan", "packing-plan", "pay", "setup", "firmware-rollout")
"""Pages also shown in dark mode."""


class Shot(NamedTuple):
    """A page: name, user, address, actions before the screenshot, and content."""

    name: str
    who: str | None
    address: str
    press: str = ""
    there: str = "h1"


def shots(shown: Shown, setup_page: str) -> Iterator[Shot]:
    """Yield every page with content."""
    yield Shot("setup", None, setup_page)
    yield from public_pages(shown)
    yield from desk_pages(shown.delivered["id"])
    yield from plan_pages(shown)
    yield from locker_pages(shown)
    yield Shot("board", "admin", "/dispatch")
    yield Shot("board-of-tomorrow", "admin", f"/dispatch?day={shown.tomorrow}")
    yield Shot("board-as-a-list", "admin", "/dispatch/list")
    yield Shot("approvals", "admin", "/mcp-approvals")
    yield Shot("approval", "admin", f"/mcp-approvals/{shown.approval}")
    yield Shot("chat", "admin", f"/orders/{shown.chat}/chat")
    yield Shot("shop", "customer", "/desk")
    yield Shot("shop-new-order", "customer", "/desk/new-order")
    yield Shot("contractor", "contractor", "/desk")
    yield Shot("go", "driver", "/go")
    yield Shot("go-stop", "driver", "/go", "li.stop >> nth=0")
    yield Shot("go-locker", "driver", "/go", "li.stop:has-text('Deliver to locker')", "#locker-title")
    yield Shot("go-offers", "driver", "/go#offers")
    yield Shot("go-routes-to-take", "driver", "/go#board")
    yield Shot("go-money", "driver", "/go#money")
    yield Shot("handheld", "admin", "/handheld")
    yield Shot("proof", "admin", f"/orders/{shown.delivered['id']}/proof")


def public_pages(shown: Shown) -> Iterator[Shot]:
    """Yield the public pages."""
    tracked = shown.delivered["tracking_number"]
    yield Shot("start", None, "/")
    yield Shot("sign-in", None, "/sign-in")
    yield Shot("sign-in-link", None, "/sign-in-link")
    yield Shot("forgotten-password", None, "/forgotten-password")
    yield Shot("invitation", None, "/invitation")
    yield Shot("track-a-parcel", None, "/track")
    yield Shot("track", None, f"/track/{tracked}")
    yield Shot("delivery-pin", None, f"/track/{tracked}/pin")
    yield Shot("verify", None, "/verify")
    yield Shot("kiosk", None, f"/kiosk#key={shown.site.key}", there="#step-start")
    yield Shot("pay", None, f"/pay#{shown.pay_link}", there="#begin")
    yield Shot("pay-by-card", None, f"/pay#{shown.pay_link}", "#begin", "#go")
    yield Shot("reference", None, "/api/docs")
    yield Shot("no-such-page", None, "/nowhere")


def desk_pages(order: int) -> Iterator[Shot]:
    """Yield the pages of the desk."""
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
    yield Shot("webhooks", "admin", "/desk/act/update_webhook_settings")
    yield Shot("palette", "admin", "/desk", "#open-palette")
    yield Shot("agent", "admin", "/desk/agent")
    yield Shot("nothing-there", "admin", "/desk/nothing-of-the-kind")
    for section in declarations().sections:
        yield Shot(f"section-{section}", "admin", f"/desk/sections/{section}")


def plan_pages(shown: Shown) -> Iterator[Shot]:
    """Yield the pages of packing and load plans."""
    load, packing = f"/desk/load-plans/{shown.load_plan}", f"/desk/packing-plans/{shown.packing_plan}"
    yield Shot("load-plans", "admin", "/desk/load-plans")
    yield Shot("load-plan", "admin", f"{load}?step=20")
    yield Shot("load-plan-layers", "admin", f"{load}?view=layers&colour=weight")
    yield Shot("load-plan-3d", "admin", load, "#open-space", "#space-place canvas")
    yield Shot("packing-plans", "admin", "/desk/packing-plans")
    yield Shot("packing-plan", "admin", packing)
    yield Shot("plan-a-load", "admin", "/desk/plan-loading")
    yield Shot("choose-cartons", "admin", "/desk/choose-cartons")


def locker_pages(shown: Shown) -> Iterator[Shot]:
    """Yield the pages for operators of lockers and devices."""
    yield Shot("lockers", "admin", "/desk/lockers")
    yield Shot("locker-map", "admin", "/desk/lockers/map")
    yield Shot("locker-site", "admin", f"/desk/lockers/{shown.site.id}")
    yield Shot("devices", "admin", "/desk/devices")
    yield Shot("firmware-releases", "admin", "/desk/firmware-releases")
    yield Shot("firmware-rollouts", "admin", "/desk/firmware-rollouts")
    yield Shot("firmware-rollout", "admin", f"/desk/firmware-rollouts/{shown.rollout}")
    yield Shot("firmware-updates", "admin", "/desk/firmware-updates")


def main() -> int:
    """Take the screenshots and write the page."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, open_browser() as browser, run_demo_server(Path(folder)) as taken:
        base, listed = taken
        for shot in listed:
            if wanted in shot.name:
                print(shot.name, flush=True)
                take(browser, base, shot)
    if not wanted:
        drop_others(listed)
    (FOLDER / "README.md").write_text("\n".join(gallery(listed)))
    print(f"{sum(file.stat().st_size for file in FOLDER.iterdir()) / 1e6:.1f} MB")
    return 0


@contextmanager
def run_demo_server(folder: Path) -> Generator[tuple[str, list[Shot]]]:
    """Yield a demo server with card payments and one without setup, with their pages."""
    bare, demo = folder / "bare", folder / "demo"
    bare.mkdir()
    demo.mkdir()
    with make_simulated_stripe() as stripe, make_server(bare, demo=False) as empty:
        keys = b64encode(bytes(KEY_BYTES)).decode()
        with make_server(demo, settings={"HAULIER_PAYMENT_SIMULATOR": stripe, "HAULIER_SECRETS_KEYS": keys}) as base:
            yield base, [*shots(make_all(base), f"{empty}/setup")]


def drop_others(listed: list[Shot]) -> None:
    """Delete screenshots of pages that are no longer listed."""
    kept = {file.name for shot in listed for file in files_of(shot)}
    for file in FOLDER.glob("*.webp"):
        if file.name not in kept:
            file.unlink()


def files_of(shot: Shot) -> dict[Path, tuple[str, str]]:
    """Return the screenshots of a page with size and colour scheme."""
    schemes = ("light", "dark") if shot.name in DARK else ("light",)
    return {
        FOLDER / f"{shot.name}-{size}{'-dark' if scheme == 'dark' else ''}.webp": (size, scheme)
        for size in SIZES
        for scheme in schemes
    }


def take(browser: Browser, base: str, shot: Shot) -> None:
    """Take one page at each size, and in dark mode if listed."""
    for file, (size, scheme) in files_of(shot).items():
        with open_page(browser, base, shot.who, viewport=SIZES[size], color_scheme=scheme) as page:
            open_shot(page, shot)
            keep(page, size, shot.name not in STICKY, file)


def open_shot(page: Page, shot: Shot) -> None:
    """Open a page and wait until it is idle."""
    answer = page.goto(shot.address)
    assert answer, shot
    assert answer.ok or shot.name in MISSING, (shot, answer.status)
    if page.locator("#board").count():
        page.locator("#board[data-ready=yes]").wait_for()
    if page.locator("#go[data-user]").count():
        page.locator("#line:not(:empty)").wait_for()
        page.locator("#view > :not(p.empty)").first.wait_for()
    if shot.press:
        page.locator(shot.press).first.click()
    page.locator(f"{shot.there} >> visible=true").first.wait_for()
    page.wait_for_timeout(600)


def keep(page: Page, size: str, whole_page: bool, file: Path) -> None:
    """Take a screenshot, crop it to its maximum height and scale it down."""
    whole = Image.open(BytesIO(page.screenshot(full_page=whole_page)))
    seen = whole.crop((0, 0, whole.width, min(whole.height, TALLEST[size])))
    small = seen.resize((WIDTH[size], round(seen.height * WIDTH[size] / seen.width)), Image.Resampling.LANCZOS)
    small.convert("RGB").save(file, "WEBP", quality=QUALITY, method=6)


def gallery(taken: list[Shot]) -> Iterator[str]:
    """Yield the lines of the page with all screenshots."""
    yield "# Every page\n\nMade by `make screenshots` from the demo business: at a desk, on a phone, some in the dark.\n"
    for shot in taken:
        title = shot.name.replace("-", " ").capitalize()
        yield f"## {title}\n"
        for suffix in ("", "-dark") if shot.name in DARK else ("",):
            shown = (f"![{title}, {size}]({shot.name}-{size}{suffix}.webp)" for size in SIZES)
            yield " ".join(shown) + "\n"


if __name__ == "__main__":
    sys.exit(main())
