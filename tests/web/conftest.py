"""One demo server for all tests of real pages, and one browser per file."""

from base64 import b64encode
from collections.abc import Iterator
from datetime import date

import pytest
from playwright.sync_api import Browser
from tests.support.databases import demo_file
from tests.support.live import make_server
from tests.web.boards import unused_days
from tests.web.browser import open_browser
from tests.web.cards import make_simulated_stripe

from haulier.adapters.phone_pushes import make_web_key
from haulier.adapters.vault import KEY_BYTES


@pytest.fixture(scope="session")
def demo_database(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the database URL of the demo server, for operator commands."""
    return demo_file(tmp_path_factory.mktemp("demo-data"))


@pytest.fixture(scope="session")
def card_payments() -> Iterator[str]:
    """Yield the URL of a simulated Stripe with a card that is always accepted."""
    with make_simulated_stripe() as address:
        yield address


@pytest.fixture(scope="session")
def demo_server(tmp_path_factory: pytest.TempPathFactory, demo_database: str, card_payments: str) -> Iterator[str]:
    """Yield the URL of the shared demo server; tests find their records by id.

    SQLite only: other tests check page content on both databases, without a browser.
    """
    pushes = {"HAULIER_PUSH_WEB_KEY": make_web_key(), "HAULIER_PUSH_CONTACT": "mailto:ops@haulier.example"}
    cards = {"HAULIER_PAYMENT_SIMULATOR": card_payments, "HAULIER_SECRETS_KEYS": b64encode(b"k" * KEY_BYTES).decode()}
    with make_server(tmp_path_factory.mktemp("demo"), database=demo_database, settings=pushes | cards) as address:
        yield address


# Not per session: its driver runs a loop in this thread, and asynchronous tests need their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Yield Chromium, shared by the tests of a file; each opens pages without cookies."""
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def days() -> Iterator[date]:
    """Yield days without other plans, for the lifetime of the server."""
    return unused_days()
