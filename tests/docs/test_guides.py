"""Tutorials and how-tos: their commands run as written and print the shown output."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from tests.docs.blocks import SHELL, blocks
from tests.docs.guides import check, make_address
from tests.processes.server_process import make_admin, make_order, make_server, post_json, query_rows
from tests.support.app import make_app
from tests.support.databases import cluster, migrate, migrated_file


class Running(NamedTuple):
    """A server for several guides, with a client for each."""

    base: str
    database: str
    folder: Path

    def admin(self, code: str) -> dict[str, str]:
        """Return the credentials of the administrator of a new client."""
        return make_admin(self.database, code)

    def told(self, code: str) -> dict[str, str]:
        """The variables that a guide begins with."""
        return {"BASE": self.base, "TOKEN": self.admin(code)["Authorization"].removeprefix("Bearer ")}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("running")
    url = migrated_file(folder)
    with make_server(folder, url, private_webhooks=1) as server:
        yield Running(server.base, url, folder)


@pytest.fixture
def freight() -> Iterator[str]:
    """Yield the database URL for guides, and clean up their roles and databases."""
    yield cluster().url("freight", "freight")
    for database in ("restored", "freight"):
        cluster().ask(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)", name="postgres")
    for role in ("freight", "backup"):
        cluster().ask(f"DROP ROLE IF EXISTS {role}", name="postgres")


async def orders_at(url: str) -> None:
    async with make_app(url) as app:
        for ref in ("KEPT-1", "KEPT-2"):
            await app.answer("admin", "create_order", make_order(ref))


def test_no_guide_closes_a_pipe_before_the_command_has_finished() -> None:
    """A command may fail if its reader exits early, which `pipefail` would report."""
    early = re.compile(r"\| *(head|grep -q\w*)\b")
    hasty = [
        f"{document}: {line}"
        for document in sorted(Path("docs").rglob("*.md"))
        for block in blocks(str(document))
        if block.language == SHELL
        for line in block.text.splitlines()
        if early.search(line) and "until " not in line
    ]
    assert not hasty, "\n".join(hasty)


def test_the_tutorial_delivers_the_first_parcel(tmp_path: Path) -> None:
    check("docs/get-started/first-parcel.md", tmp_path, make_address(), {})


@pytest.mark.usefixtures("freight")
def test_the_production_guide_starts_monitors_and_stops_its_services(tmp_path: Path) -> None:
    check("docs/operate/production.md", tmp_path, make_address(), {})


def test_backups_of_a_running_database_can_be_restored(freight: str, running: Running, tmp_path: Path) -> None:
    for sql in ("CREATE ROLE freight LOGIN", "CREATE DATABASE freight OWNER freight"):
        cluster().ask(sql, name="postgres")
    migrate(freight)
    asyncio.run(orders_at(freight))
    post_json(running.base, "client/orderCreate", make_order("KEPT"), running.admin("kept"))
    check("docs/operate/backups.md", tmp_path, running.base, {"DATA": str(running.folder)})
    every = "SELECT order_ref FROM delivery_order ORDER BY id"
    kept = query_rows(f"sqlite:///{running.folder}/backup.db", every)
    assert ("KEPT",) in kept
    assert kept == query_rows(running.database, every)


def test_the_token_rotation_guide_works(running: Running, tmp_path: Path) -> None:
    told = make_program(running.base, running.admin("tokens"))
    check("docs/integrate/tokens.md", tmp_path, running.base, {"BASE": running.base, **told})


def test_the_guide_to_test_mode_advances_and_resets(running: Running, tmp_path: Path) -> None:
    check("docs/integrate/test-mode.md", tmp_path, running.base, running.told("testing"))


def make_program(base: str, admin: dict[str, str]) -> dict[str, str]:
    """Return a user with a password, and the token of their program, as in the guide."""
    ada = {"email": "program@tokens.example", "password": "correct horse battery"}
    person = {"name": "Ada Lovelace", "account": "client_admin", **ada}
    httpx.post(f"{base}/api/v1/users", json=person, headers=admin, timeout=60).raise_for_status()
    session = post_json(base, "user/login", ada, {})["access_token"]
    program = {"name": "shop", "profile": "full"}
    issued = httpx.post(
        f"{base}/api/v1/tokens", json=program, headers={"Authorization": f"Bearer {session}"}, timeout=60
    )
    return {"EMAIL": ada["email"], "PASSWORD": ada["password"], "OLD": issued.json()["access_token"]}


def test_the_route_building_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/deliver/build-routes.md", tmp_path, running.base, running.told("routes"))


def test_the_personal_data_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/operate/personal-data.md", tmp_path, running.base, running.told("privacy"))


def test_the_address_book_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/deliver/address-book.md", tmp_path, running.base, running.told("addresses"))


def test_the_label_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/ship/shipping.md", tmp_path, running.base, running.told("shipping"))


def test_the_shipping_rules_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/ship/rules.md", tmp_path, running.base, running.told("rules"))


def test_the_inbound_parcel_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/store/consolidation.md", tmp_path, running.base, running.told("consolidation"))


def test_the_carrier_shipping_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/ship/orders.md", tmp_path, running.base, running.told("order-shipments"))


def test_the_unified_order_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/ship/uniorder.md", tmp_path, running.base, running.told("uniorder"))


def test_the_carton_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/store/packing.md", tmp_path, running.base, running.told("packing"))


def test_the_load_planning_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/store/loading.md", tmp_path, running.base, running.told("loading"))


def test_the_stock_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/store/warehouse.md", tmp_path, running.base, running.told("warehouse"))


def test_the_stock_import_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/store/stock-files.md", tmp_path, running.base, running.told("stock-files"))


def test_the_customer_credit_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/bill/customer-credit.md", tmp_path, running.base, running.told("credit"))


def test_the_invoicing_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/bill/invoices.md", tmp_path, running.base, running.told("invoices"))
    check("docs/bill/received-payments.md", tmp_path, running.base, running.told("received"))


def test_the_invoice_run_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/bill/invoice-runs.md", tmp_path, running.base, running.told("invoice_runs"))


def test_the_accounting_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/bill/accounting.md", tmp_path, running.base, running.told("accounting"))


def test_the_operations_agent_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/integrate/operations-agent.md", tmp_path, running.base, running.told("agent"))


def test_the_sms_campaign_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/deliver/sms-marketing.md", tmp_path, running.base, running.told("texts"))


def test_the_services_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/bill/customer-services.md", tmp_path, running.base, running.told("services"))


def test_the_storage_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/store/storage.md", tmp_path, running.base, running.told("storage"))


def test_the_locker_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/lockers/lockers.md", tmp_path, running.base, running.told("lockers"))


def test_the_device_sales_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/lockers/device-orders.md", tmp_path, running.base, running.told("devices"))


def test_the_locker_shop_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/lockers/locker-shop.md", tmp_path, running.base, running.told("locker-shop"))


def test_the_luggage_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/lockers/luggage.md", tmp_path, running.base, running.told("luggage"))


def test_the_locker_rental_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/lockers/locker-rental.md", tmp_path, running.base, running.told("locker-resale"))


def test_the_locker_device_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/lockers/devices.md", tmp_path, running.base, running.told("cabinets"))


@pytest.mark.parametrize("guide", ["serve-customers", "set-up-business"])
def test_the_desk_guides_show_working_calls(guide: str, running: Running, tmp_path: Path) -> None:
    check(f"docs/desk/{guide}.md", tmp_path, running.base, running.told(guide))


def test_an_upgrade_keeps_the_database_backup(running: Running, tmp_path: Path) -> None:
    check("docs/operate/upgrade.md", tmp_path, running.base, {"DATA": str(running.folder)})


def test_the_order_chat_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/deliver/order-chat.md", tmp_path, running.base, running.told("order-chat"))


def test_the_reports_guide_works(running: Running, tmp_path: Path) -> None:
    told = {**running.told("reports"), "HAULIER_DATABASE": running.database}
    check("docs/deliver/reports.md", tmp_path, running.base, told)


def test_the_recipient_notification_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/deliver/recipients.md", tmp_path, running.base, running.told("recipients"))


def test_the_datasets_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/integrate/datasets.md", tmp_path, running.base, running.told("datasets"))


def test_the_custom_fields_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/integrate/custom-fields.md", tmp_path, running.base, running.told("fields"))


def test_the_webhook_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/integrate/webhooks.md", tmp_path, running.base, running.told("webhooks"))


def test_the_label_printing_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/ship/labels.md", tmp_path, running.base, running.told("labels"))


def test_the_label_scanning_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/ship/scan-labels.md", tmp_path, running.base, running.told("readings"))


def test_the_warehouse_scanning_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/store/handheld.md", tmp_path, running.base, running.told("handheld"))


def test_the_document_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/ship/documents.md", tmp_path, running.base, running.told("papers"))


def test_the_zone_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/deliver/zones.md", tmp_path, running.base, running.told("zones"))


def test_the_api_conventions_guide_works(running: Running, tmp_path: Path) -> None:
    check("docs/reference/conventions.md", tmp_path, running.base, running.told("conventions"))
