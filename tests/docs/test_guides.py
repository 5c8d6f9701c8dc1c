"""The tutorial and the how-tos do what they say: their commands run as written, and print what is shown."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.docs.guides import an_address, check
from tests.processes.server_process import a_server, an_admin, an_order, post_json, query_rows
from tests.support.app import an_app
from tests.support.databases import cluster, migrate, migrated_file


@pytest.fixture
def freight() -> Iterator[str]:
    """The address of the database that the guides make, and its end: they leave roles and databases behind."""
    yield cluster().url("freight", "freight")
    for database in ("restored", "freight"):
        cluster().ask(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)", name="postgres")
    for role in ("freight", "backup"):
        cluster().ask(f"DROP ROLE IF EXISTS {role}", name="postgres")


async def orders_at(url: str) -> None:
    async with an_app(url) as app:
        for ref in ("KEPT-1", "KEPT-2"):
            await app.answer("admin", "create_order", an_order(ref))


def test_the_tutorial_delivers_the_first_parcel(tmp_path: Path) -> None:
    check("docs/tutorial/first-parcel.md", tmp_path, an_address(), {})


@pytest.mark.usefixtures("freight")
def test_the_production_guide_brings_up_watches_and_stops_what_it_says(tmp_path: Path) -> None:
    check("docs/how-to/production.md", tmp_path, an_address(), {})


def test_backups_of_a_running_database_can_be_restored_and_tokens_rotated(freight: str, tmp_path: Path) -> None:
    for sql in ("CREATE ROLE freight LOGIN", "CREATE DATABASE freight OWNER freight"):
        cluster().ask(sql, name="postgres")
    migrate(freight)
    asyncio.run(orders_at(freight))
    url = migrated_file(tmp_path)
    admin = an_admin(url)
    with a_server(tmp_path, url) as server:
        post_json(server.base, "client/orderCreate", an_order("KEPT"), admin)
        check("docs/how-to/backups.md", tmp_path, server.base, {"DATA": str(tmp_path)})
        old = admin["Authorization"].removeprefix("Bearer ")
        check("docs/how-to/tokens.md", tmp_path, server.base, {"BASE": server.base, "OLD": old})
    assert query_rows(f"sqlite:///{tmp_path}/backup.db", "SELECT order_ref FROM delivery_order") == [("KEPT",)]


def test_the_routes_of_a_day_are_built_as_the_guide_says(tmp_path: Path) -> None:
    url = migrated_file(tmp_path)
    token = an_admin(url)["Authorization"].removeprefix("Bearer ")
    with a_server(tmp_path, url) as server:
        check("docs/how-to/build-routes.md", tmp_path, server.base, {"BASE": server.base, "TOKEN": token})
