"""The demo has records of every family, so that its purpose is visible."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.databases import demo_file

from haulier.app import build_application
from haulier.demo import PASSWORD
from haulier.demo.accounts import DemoUser
from haulier.demo.caller import OperationCaller
from haulier.kernel.application import Application
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.resources import Resource, resources_of
from haulier.settings import Settings

FILLED_BY_OTHERS = {
    *("inbound-claims", "stock-shortages"),
    *("accessible-clients", "alliance-reads", "tracking-grants", "partnerships", "partner-offers", "partner-orders"),
    *(
        "connected-agents",
        "app-registrations",
        "driver-registrations",
        "invitations",
        "provider-keys",
        "refused-pushes",
        "carrier-messages",
    ),
    *("webhook-settings", "webhook-delivery-logs", "payments", "personal-data-requests"),
}
"""Lists of what another business, a provider, an applicant or an outside server has done."""
EMPTY_ON_A_GOOD_DAY = {
    *(
        "duplicate-addresses",
        "piece-exceptions",
        "uncharged-orders",
        "backorders",
        "unplaced-orders",
        "missing-arrivals",
        "luggage-claims",
        "recipient-returns",
        "device-returns",
        "device-alarms",
        "waiting-entries",
    ),
}
FILLED_BY_USING_IT = {
    "payouts",
    *("board-driver-rules", "route-board", "route-builds", "route-claims", "instant-jobs"),
    *(
        "load-plans",
        "plan-searches",
        "shipping-rule-log",
        "pick-packages",
        "scans",
        "stock-imports",
        "place-imports",
        "label-parses",
    ),
    *(
        "reservations",
        "uniorders",
        "uniorder-jobs",
        "ship-jobs",
        "map-region-tasks",
        "lease-entries",
        "firmware-updates",
        "saved-views",
        "return-reasons",
        "tax-exemptions",
        "preview-invoice-run",
    ),
}
"""Lists of what a visitor does first: build routes, plan loads, scan, import, book."""
ASKS_FIRST = {"bookable-windows", "credit-statement"}
"""Lists that ask for whom, though no single field is needed."""


@pytest.fixture
async def demo(tmp_path: Path) -> AsyncIterator[Application]:
    application = build_application(Settings(database=demo_file(tmp_path), demo=True))
    await application.database.open()
    yield application
    await application.database.close()


async def test_only_lists_filled_by_others_or_visitors_are_empty(demo: Application) -> None:
    login = await OperationCaller(demo, None).call("login", email="admin@demo.example", password=PASSWORD)
    admin = OperationCaller(demo, DemoUser(0, login.access_token))
    empty = {
        noun.key
        for noun in resources_of(demo.registry)
        if opens_without_asking(noun) and not getattr(await admin.call(noun.listing.name), noun.rows)
    }
    assert empty == FILLED_BY_OTHERS | EMPTY_ON_A_GOOD_DAY | FILLED_BY_USING_IT


def opens_without_asking(noun: Resource) -> bool:
    """Return True if staff see the list without parameters or optional features."""
    listing = noun.listing
    needed = [name for name, field in listing.request.model_fields.items() if field.is_required()]
    for_everybody = listing.feature is None and Account.CLIENT_ADMIN in listing.audience
    return for_everybody and not needed and noun.key not in ASKS_FIRST
