"""Servers of the version before serve a database that is already migrated."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.contexts.billing.invoices.examples import SETTINGS
from tests.processes.previous_version import export_source, find_previous_version, revision_of
from tests.processes.server_process import PATIENCE_S, ServerProcess, eventually, make_order, make_server
from tests.support.databases import CHOSEN, cluster

from haulier.adapters.database import database_for
from haulier.adapters.new_schema import upgrade_to_newest_revision
from haulier.adapters.revisions import newest_revision
from haulier.app import load_tables
from haulier.contexts.identity import public as access
from haulier.kernel.data.clock import utc_now
from haulier.kernel.operations.enums import Account, Module

pytestmark = pytest.mark.skipif("postgres" not in CHOSEN, reason="SQLite is served by one process")
DEPOT = {"name": "Main", "address": "1 Front St", "lat": 43.64, "lng": -79.38}
ORDERS = 4
ROLES = {"admin": Account.CLIENT_ADMIN, "driver": Account.DRIVER, "customer": Account.CUSTOMER}


class Business:
    """A business whose users send each call to the next of several servers."""

    def __init__(self, url: str) -> None:
        self.ids: dict[str, int] = {}
        self.tokens: dict[str, str] = {}
        asyncio.run(self._found(url))

    async def _found(self, url: str) -> None:
        database, now = database_for(url), utc_now()
        await database.open()
        async with database.write(None) as plain:
            work = plain.without_tenant_filter("tests act for every client")
            words: dict[str, Any] = {"time_zone": "UTC", "currency": "CAD", "modules": Module, "now": now}
            client = await access.create_client(work, code="demo", name="Demo", **words)
            for role, account in ROLES.items():
                who: dict[str, Any] = {"client_id": client, "account": account, "now": now}
                self.ids[role] = await access.provision_user(work, email=f"{role}@demo.example", name=role, **who)
                self.tokens[role] = await access.issue_token(work, user_id=self.ids[role], **who)
        await database.close()

    def use(self, *servers: ServerProcess) -> None:
        """Send the following calls to these servers in turns."""
        self.bases = cycle(server.base for server in servers)

    def send(self, who: str, call: str, body: Any = None) -> httpx.Response:
        """Send a call such as `GET /orders/7` that must succeed."""
        method, path = call.split()
        headers = {"Authorization": f"Bearer {self.tokens[who]}"}
        url = f"{next(self.bases)}/api/v1{path}"
        answer = httpx.request(method, url, json=body, headers=headers, timeout=PATIENCE_S, verify=False)
        assert answer.status_code in (200, 201), (call, url, answer.text)
        return answer

    def does(self, who: str, call: str, body: Any = None) -> Any:
        """Return the JSON of a call."""
        return self.send(who, call, body).json()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source of the version before, which knows fewer migrations."""
    source = export_source(find_previous_version(), tmp_path_factory.mktemp("previous"))
    assert revision_of(source) < newest_revision()
    return source


@pytest.fixture
def url() -> Iterator[str]:
    """A database migrated to the newest revision."""
    load_tables()
    with cluster().nothing() as url:
        upgrade_to_newest_revision(url)
        yield url


def play_day(business: Business) -> None:
    """Set up, take orders, plan and drive them, print a label, and issue the invoice."""
    today, customer = datetime.now(UTC).date().isoformat(), business.ids["customer"]
    business.does("admin", "PUT /billing/invoicing", SETTINGS)
    orders = [
        business.does(
            "admin",
            "POST /client/orderCreate",
            {
                **make_order(f"A-{n}"),
                "customer_id": customer,
                "scheduled_date": today,
                "packages": [{"weight_g": 500}, {"weight_g": 900}],
            },
        )["order"]
        for n in range(ORDERS)
    ]
    ids = [order["id"] for order in orders]
    assert business.does("admin", "GET /orders?per_page=50")["total"] == ORDERS
    for order_id in ids:
        assert len(business.does("admin", f"GET /orders/{order_id}/label")["labels"]) == 2
    driver = business.does("admin", "POST /drivers", {"name": "Dan", "user_id": business.ids["driver"]})["driver"]
    depot = business.does("admin", "POST /depots", DEPOT)["depot"]
    planned = {"day": today, "depot_id": depot["id"], "driver_id": driver["id"]}
    route = business.does("admin", "POST /routes", planned)["route"]["id"]
    assert business.does("admin", f"POST /routes/{route}/orders", {"order_ids": ids})["errors"] == []
    business.does("driver", f"POST /routes/{route}/start")
    stops = business.does("driver", f"GET /routes/{route}")["route"]["stops"]
    for stop in (each for each in stops if each["order_id"]):
        business.does("driver", f"POST /routes/{route}/stops/{stop['id']}/deliver", {"recipient": "Ada"})
    for order in orders:
        assert business.does("admin", f"GET /orders/{order['id']}")["order"]["status"] == "DELIVERED"
        events = business.does("admin", f"GET /tracking/{order['tracking_number']}")["events"]
        assert "delivered" in {event["status_code"].lower() for event in events}
    eventually(lambda: _charged(business, customer))
    invoice = business.does("admin", "POST /billing/invoices", {"customer_id": customer})["invoice"]
    assert len(invoice["lines"]) == ORDERS
    assert business.does("admin", f"GET /billing/invoices/{invoice['id']}")["invoice"]["total_minor"] > 0


def _charged(business: Business, customer: int) -> bool:
    """Return True if jobs have charged each delivered order."""
    orders = business.does("admin", f"GET /orders?customer_id={customer}&per_page=50")["orders"]
    return all(order["status"] == "DELIVERED" for order in orders)


def test_the_version_before_plays_a_day_on_the_migrated_database(source: Path, url: str, tmp_path: Path) -> None:
    business = Business(url)
    with make_server(tmp_path, url, PYTHONPATH=str(source)) as before:
        business.use(before)
        play_day(business)
        assert before.stop() == 0, before.log.read_text()


def test_both_versions_share_a_day_call_by_call(source: Path, url: str, tmp_path: Path) -> None:
    business = Business(url)
    with ExitStack() as stack:
        before = stack.enter_context(make_server(tmp_path, url, PYTHONPATH=str(source)))
        after = stack.enter_context(make_server(tmp_path, url))
        business.use(before, after)
        play_day(business)
