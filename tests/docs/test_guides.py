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


def test_no_guide_stops_reading_before_the_command_has_written_all() -> None:
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
def test_the_production_guide_brings_up_watches_and_stops_what_it_says(tmp_path: Path) -> None:
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


def test_tokens_are_rotated_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    told = make_program(running.base, running.admin("tokens"))
    check("docs/integrate/tokens.md", tmp_path, running.base, {"BASE": running.base, **told})


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


def test_the_routes_of_a_day_are_built_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/deliver/build-routes.md", tmp_path, running.base, running.told("routes"))


def test_a_persons_data_is_kept_exported_and_erased_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/operate/personal-data.md", tmp_path, running.base, running.told("privacy"))


def test_an_address_book_is_kept_and_orders_are_placed_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/deliver/address-book.md", tmp_path, running.base, running.told("addresses"))


def test_labels_are_bought_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/ship/shipping.md", tmp_path, running.base, running.told("shipping"))


def test_rules_choose_carriers_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/ship/rules.md", tmp_path, running.base, running.told("rules"))


def test_parcels_are_received_for_customers_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/store/consolidation.md", tmp_path, running.base, running.told("consolidation"))


def test_orders_ship_with_carriers(running: Running, tmp_path: Path) -> None:
    check("docs/ship/orders.md", tmp_path, running.base, running.told("order-shipments"))


def test_orders_are_made_by_one_form_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/ship/uniorder.md", tmp_path, running.base, running.told("uniorder"))


def test_cartons_are_chosen_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/store/packing.md", tmp_path, running.base, running.told("packing"))


def test_loads_are_planned_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/store/loading.md", tmp_path, running.base, running.told("loading"))


def test_stock_is_kept_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/store/warehouse.md", tmp_path, running.base, running.told("warehouse"))


def test_products_and_stock_come_by_files_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/store/stock-files.md", tmp_path, running.base, running.told("stock-files"))


def test_the_credit_of_customers_is_kept_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/bill/customer-credit.md", tmp_path, running.base, running.told("credit"))


def test_customers_who_pay_later_are_billed_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/bill/invoices.md", tmp_path, running.base, running.told("invoices"))


def test_all_customers_of_a_cycle_are_invoiced_at_once(running: Running, tmp_path: Path) -> None:
    check("docs/bill/invoice-runs.md", tmp_path, running.base, running.told("invoice_runs"))


def test_the_accounting_guide_works_as_written(running: Running, tmp_path: Path) -> None:
    check("docs/bill/accounting.md", tmp_path, running.base, running.told("accounting"))


def test_the_operations_agent_answers_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/integrate/operations-agent.md", tmp_path, running.base, running.told("agent"))


def test_texts_are_sent_to_people_who_agreed_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/deliver/sms-marketing.md", tmp_path, running.base, running.told("texts"))


def test_services_are_sold_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/bill/customer-services.md", tmp_path, running.base, running.told("services"))


def test_goods_of_customers_are_stored_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/store/storage.md", tmp_path, running.base, running.told("storage"))


def test_lockers_are_run_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/lockers/lockers.md", tmp_path, running.base, running.told("lockers"))


def test_devices_are_sold_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/lockers/device-orders.md", tmp_path, running.base, running.told("devices"))


def test_products_are_sold_from_boxes_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/lockers/locker-shop.md", tmp_path, running.base, running.told("locker-shop"))


def test_luggage_is_carried_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/lockers/luggage.md", tmp_path, running.base, running.told("luggage"))


def test_boxes_are_leased_to_businesses_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/lockers/locker-rental.md", tmp_path, running.base, running.told("locker-resale"))


def test_a_cabinet_is_built_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/lockers/devices.md", tmp_path, running.base, running.told("cabinets"))


@pytest.mark.parametrize("guide", ["serve-customers", "set-up-business"])
def test_guides_to_the_desk_show_calls_that_work(guide: str, running: Running, tmp_path: Path) -> None:
    check(f"docs/desk/{guide}.md", tmp_path, running.base, running.told(guide))


def test_an_upgrade_keeps_the_copy_of_the_database(running: Running, tmp_path: Path) -> None:
    check("docs/operate/upgrade.md", tmp_path, running.base, {"DATA": str(running.folder)})


def test_people_chat_about_an_order_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/deliver/order-chat.md", tmp_path, running.base, running.told("order-chat"))


def test_reports_are_read_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    told = {**running.told("reports"), "HAULIER_DATABASE": running.database}
    check("docs/deliver/reports.md", tmp_path, running.base, told)


def test_recipients_are_told_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/deliver/recipients.md", tmp_path, running.base, running.told("recipients"))


def test_datasets_are_kept_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/integrate/datasets.md", tmp_path, running.base, running.told("datasets"))


def test_custom_fields_are_given_and_found_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/integrate/custom-fields.md", tmp_path, running.base, running.told("fields"))


def test_webhooks_reach_the_receiver_of_the_guide(running: Running, tmp_path: Path) -> None:
    check("docs/integrate/webhooks.md", tmp_path, running.base, running.told("webhooks"))


def test_labels_are_printed_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/ship/labels.md", tmp_path, running.base, running.told("labels"))


def test_labels_are_read_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/ship/scan-labels.md", tmp_path, running.base, running.told("readings"))


def test_scanning_in_a_warehouse(running: Running, tmp_path: Path) -> None:
    check("docs/store/handheld.md", tmp_path, running.base, running.told("handheld"))


def test_documents_are_issued_and_verified_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/ship/documents.md", tmp_path, running.base, running.told("papers"))


def test_zones_and_places_are_kept_as_the_guide_says(running: Running, tmp_path: Path) -> None:
    check("docs/deliver/zones.md", tmp_path, running.base, running.told("zones"))


def test_the_api_follows_its_conventions(running: Running, tmp_path: Path) -> None:
    check("docs/reference/conventions.md", tmp_path, running.base, running.told("conventions"))
