"""One demo server for all tests of pages that need a real one, and a browser for each of their files."""

from base64 import b64encode
from collections.abc import Iterator
from datetime import date

import pytest
from playwright.sync_api import Browser
from tests.support.databases import demo_file
from tests.support.live import a_server
from tests.web.boards import days_of_nobody
from tests.web.browser import open_browser
from tests.web.cards import a_simulated_stripe

from haulier.adapters.phone_pushes import make_web_key
from haulier.adapters.vault import KEY_BYTES


@pytest.fixture(scope="session")
def demo_database(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the database of the demo server, for commands of whoever runs it."""
    return demo_file(tmp_path_factory.mktemp("demo-data"))


@pytest.fixture(scope="session")
def card_payments() -> Iterator[str]:
    """The address of a simulated Stripe, whose script for payers' pages pays with a card that is always taken."""
    with a_simulated_stripe() as address:
        yield address


@pytest.fixture(scope="session")
def demo_server(tmp_path_factory: pytest.TempPathFactory, demo_database: str, card_payments: str) -> Iterator[str]:
    """The address of a server with the demo business, shared: a test makes what it changes, and finds it by its own id.

    Why SQLite alone: what pages are given is tested on both databases beside them, without a browser.
    """
    pushes = {"HAULIER_PUSH_WEB_KEY": make_web_key(), "HAULIER_PUSH_CONTACT": "mailto:ops@haulier.example"}
    cards = {"HAULIER_PAYMENT_SIMULATOR": card_payments, "HAULIER_SECRETS_KEYS": b64encode(b"k" * KEY_BYTES).decode()}
    with a_server(tmp_path_factory.mktemp("demo"), database=demo_database, settings=pushes | cards) as address:
        yield address


# Why not for the session: while it is open its driver runs a loop in this thread, and asynchronous tests need their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, which a file's tests share. Each opens pages of its own, with nobody's cookies."""
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def days() -> Iterator[date]:
    """Days that nobody else plans, for as long as the server lives."""
    return days_of_nobody()
