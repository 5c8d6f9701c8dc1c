"""The documentation site is complete and needs no other origin."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from scripts.docs_site.build import ROOT, build_site_if_stale

GLOSSARIES = "glossary-*.md"
REFERRED = re.compile(r'(?:href|src)="([^"]*)"')
LOADED = re.compile(r'<(?:script|img|link|iframe|source)\b[^>]*?(?:href|src)="([^"]*)"')
INLINE = re.compile(r'<style|\sstyle="|\son\w+="|<script(?![^>]*(?:src=|application/json))')
ANCHOR = re.compile(r'\b(?:id|name)="([^"]+)"')


@pytest.fixture(scope="module")
def site() -> Path:
    """Build the site; a warning fails."""
    return build_site_if_stale()


@cache
def html_of(page: Path) -> str:
    return page.read_text()


@cache
def anchors_of(page: Path) -> set[str]:
    return set(ANCHOR.findall(html_of(page)))


def pages_of(site: Path) -> list[Path]:
    return [page for page in sorted(site.rglob("*.html")) if page.name != "404.html"]


def test_every_document_has_its_page(site: Path) -> None:
    documents = [path.relative_to(ROOT / "docs") for path in sorted((ROOT / "docs").rglob("*.md"))]
    places = [path.parent if path.name == "README.md" else path.with_suffix("") for path in documents]
    missing = [str(place) for place in places if not (site / place / "index.html").is_file()]
    assert len(documents) > 250
    assert missing == []


def test_every_link_within_the_site_leads_somewhere(site: Path) -> None:
    broken: list[str] = []
    for page in pages_of(site):
        for target in set(REFERRED.findall(html_of(page))):
            if target.startswith(("http:", "https:", "mailto:", "data:")):
                continue
            path, _, anchor = unquote(target).partition("#")
            place = (page.parent / path.partition("?")[0]).resolve() if path else page
            place = place / "index.html" if place.is_dir() else place
            if not place.is_file() or (anchor and anchor not in anchors_of(place) and not anchor.startswith("__")):
                broken.append(f"{page.relative_to(site)}: {target}")
    assert broken == []


def test_pages_load_nothing_from_elsewhere_and_have_nothing_inline(site: Path) -> None:
    """The content-security policy of the product allows neither."""
    assert [page.name for page in pages_of(site) if INLINE.search(html_of(page))] == []
    foreign = {url for page in pages_of(site) for url in LOADED.findall(html_of(page)) if "//" in url}
    assert foreign == set()
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert re.findall(r"url\(['\"]?(?:https?:)?//", styles) == []
