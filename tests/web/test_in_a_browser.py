"""The tracking page in a real browser: its script draws the map, and it can be looked at on a phone."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support.live import a_server
from tests.web.browser import CHROMIUM, needs_chromium

pytestmark = needs_chromium
ADMIN = {"email": "admin@demo.example", "password": "haulier-demo"}
WORDS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with a_server(tmp_path_factory.mktemp("browser")) as address:
        yield address


def a_number(base: str, status: str) -> str:
    """The tracking number of a demo order in a status."""
    token = httpx.post(f"{base}/api/v1/user/login", json=ADMIN).json()["access_token"]
    asked: dict[str, Any] = {
        "params": {"status": status, "per_page": 1},
        "headers": {"Authorization": f"Bearer {token}"},
    }
    return httpx.get(f"{base}/api/v1/orders", **asked).json()["orders"][0]["tracking_number"]


def seen(address: str, folder: Path, *words: str) -> str:
    """The document as the browser has it after some seconds, of a journey that is over: a live stream never lets it rest."""
    profile = f"--user-data-dir={folder / 'profile'}"
    command = [str(CHROMIUM), *WORDS, profile, *words, "--virtual-time-budget=6000", "--dump-dom", address]
    return subprocess.run(command, capture_output=True, text=True, timeout=90, check=True).stdout


def test_the_places_of_a_journey_are_drawn_on_a_map(base: str, tmp_path: Path) -> None:
    page = seen(f"{base}/track/{a_number(base, 'DELIVERED')}", tmp_path)
    assert re.search(r'<section id="map-section">', page)
    assert page.count("leaflet-interactive") >= 1
    assert "leaflet-container" in page


def test_the_page_fits_a_phone(base: str, tmp_path: Path) -> None:
    picture = tmp_path / "phone.png"
    address = f"{base}/track/{a_number(base, 'DELIVERED')}?lang=de"
    seen(address, tmp_path, "--window-size=390,844", f"--screenshot={picture}")
    assert picture.stat().st_size > 5_000
