"""The documentation site is complete and needs no other origin."""

import json
import re
import subprocess
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from scripts.docs_site.build import ROOT, build_site_if_stale
from tests.api.node_packages import node_programs

MOST_HITS = 3
QUESTIONS = {
    "How do I print a label?": "ship/labels/",
    "Add a driver.": "desk/add-drivers/",
    "Invite a colleague.": "desk/set-up-business/",
    "Import orders from Excel.": "desk/take-orders/#import-orders-from-excel-or-csv",
    "Connect UPS.": "ship/carriers/",
    "Webhook signature.": "integrate/webhooks/#verify-the-webhook-signature-in-a-receiver",
    "Retry a failed webhook.": "integrate/webhooks/#retry-a-failed-webhook",
    "Rate limits.": "reference/conventions/#rate-limits",
    "Back up the database.": "operate/backups/",
    "Move from SQLite to PostgreSQL.": "operate/databases/",
    "Upgrade.": "operate/upgrade/",
    "Reverse proxy and TLS.": "operate/reverse-proxy/",
    "Kubernetes.": "operate/kubernetes/",
    "What does IDEMPOTENCY_KEY_REUSED mean?": "reference/errors/#idempotency_key_reused",
    "Pagination.": "reference/conventions/#lists-and-pagination",
    "Cash on delivery.": "deliver/cash-and-pay/",
    "Hide prices from a customer.": "desk/serve-customers/#hide-prices-from-a-customer",
    "Build routes by API.": "deliver/build-routes/",
    "Connect an AI agent.": "integrate/connect-an-agent/",
    "Delete a person's data.": "operate/personal-data/",
}
"""Questions of operators, dispatchers and developers, and the section that answers each."""
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


def test_every_document_has_a_page(site: Path) -> None:
    documents = [path.relative_to(ROOT / "docs") for path in sorted((ROOT / "docs").rglob("*.md"))]
    places = [path.parent if path.name == "README.md" else path.with_suffix("") for path in documents]
    missing = [str(place) for place in places if not (site / place / "index.html").is_file()]
    assert len(documents) > 250
    assert missing == []


def test_every_link_within_the_site_resolves(site: Path) -> None:
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


def test_pages_load_no_external_or_inline_code(site: Path) -> None:
    """The content-security policy of the product allows neither."""
    assert [page.name for page in pages_of(site) if INLINE.search(html_of(page))] == []
    foreign = {url for page in pages_of(site) for url in LOADED.findall(html_of(page)) if "//" in url}
    assert foreign == set()
    styles = "".join(path.read_text() for path in site.rglob("*.css"))
    assert re.findall(r"url\(['\"]?(?:https?:)?//", styles) == []


def test_the_search_answers_common_questions(site: Path) -> None:
    """The search script of the site runs in Node.js, as it does in a browser."""
    node, _ = node_programs()
    command = [node, Path(__file__).with_name("ask_search.mjs"), site]
    ran = subprocess.run(command, input=json.dumps([*QUESTIONS]), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    found = dict(zip(QUESTIONS, json.loads(ran.stdout), strict=True))
    missed = {
        question: [hit[0] for hit in found[question]]
        for question, section in QUESTIONS.items()
        if not any(section in hit for hit in found[question][:MOST_HITS])
    }
    assert missed == {}
