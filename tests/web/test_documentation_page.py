"""The documentation at `/docs`: the built site, or the guides alone."""

from pathlib import Path

import pytest
from tests.support.app import App
from tests.web.page_client import get_page

from haulier.web.desk.places import declarations
from haulier.web.pages import documentation

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small site in place of the built one."""
    (tmp_path / "deliver").mkdir()
    (tmp_path / "index.html").write_text("<h1>Home</h1>")
    (tmp_path / "404.html").write_text("<h1>Not of the product</h1>")
    (tmp_path / "deliver" / "index.html").write_text("<h1>Deliver</h1>")
    monkeypatch.setattr(documentation, "site_folder", lambda: tmp_path)
    return tmp_path


@pytest.mark.usefixtures("built")
async def test_the_site_is_served_with_the_content_security_policy(app: App) -> None:
    home = await app.http.get("/docs/")
    assert (home.status_code, home.text) == (200, "<h1>Home</h1>")
    assert home.headers["content-type"].startswith("text/html")
    policy = home.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert (await app.http.get("/docs/deliver/")).text == "<h1>Deliver</h1>"


@pytest.mark.usefixtures("built")
async def test_urls_without_a_slash_are_redirected(app: App) -> None:
    assert (await app.http.get("/docs")).headers["location"] == "/docs/"
    assert (await app.http.get("/docs/deliver")).headers["location"].endswith("/docs/deliver/")


@pytest.mark.usefixtures("built")
async def test_a_missing_page_shows_the_products_404_page(app: App) -> None:
    missing = await app.http.get("/docs/nothing/", headers={"Accept": "text/html"})
    assert missing.status_code == 404
    assert "Not of the product" not in missing.text


async def test_without_a_built_site_the_guides_are_pages(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documentation, "site_folder", lambda: None)
    listed = (await app.http.get("/docs/")).text
    assert '<a href="/docs/build-routes/">Build the routes of a day</a>' in listed
    guide = (await app.http.get("/docs/deliver/cash-and-pay/")).text
    assert "<h1>Collect cash and pay drivers</h1>" in guide
    assert "<table>" in (await app.http.get("/docs/settings/")).text
    assert 'href="/docs/send-sms/#over-smpp"' in (await app.http.get("/docs/settings/")).text


def test_every_section_of_the_desk_has_a_help_page() -> None:
    pages = declarations().help
    assert pages.keys() == {"home", *declarations().sections}
    assert [page for page in pages.values() if not (DOCS / f"{page}.md").is_file()] == []


async def test_the_desk_links_to_the_help_page_of_its_section(app: App) -> None:
    assert 'href="/docs/desk/take-orders/"' in (await get_page(app, "/desk/orders", "admin")).text
    assert 'href="/docs/bill/invoices/"' in (await get_page(app, "/desk/sections/billing", "admin")).text
    assert 'href="/docs/desk/desk/"' in (await get_page(app, "/desk", "admin")).text
