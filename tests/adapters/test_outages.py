"""Missing, full, locked or read-only databases: errors with retry hints."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import apsw
import httpx
import pytest
from sqlalchemy import func, select
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.contexts.orders.examples import ADDRESS
from tests.support.app import App
from tests.support.databases import cluster

from haulier.adapters.database import database_for
from haulier.kernel.data.outages import (
    DatabaseFull,
    DatabaseOutage,
    DatabaseReadOnly,
    DatabaseUnreachable,
    OutageRecord,
)
from haulier.kernel.data.tables import metadata
from haulier.kernel.data.unit_of_work import TransactionRetry
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES

ORDER = {"consignee": ADDRESS, "order_ref": "A-1"}


@contextmanager
def writer_with_pragma(app: App, pragma: str, otherwise: str) -> Generator[None]:
    """Set a limit on the writing connection, as on a full disk, within the context."""
    writer: Any = app.database._writer.connection  # type: ignore[attr-defined]
    writer.execute(pragma).fetchall()
    try:
        yield
    finally:
        writer.execute(otherwise).fetchall()


@contextmanager
def locked_by_another(app: App) -> Generator[None]:
    """While the context is open another process writes into the file."""
    other = apsw.Connection(app.database_url.removeprefix("sqlite:///"))
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


async def status_of(app: App) -> tuple[int, str, bool]:
    answer = await app.http.get("/readyz")
    return answer.status_code, answer.json()["status"], "Retry-After" in answer.headers


async def first_refusal(attempt: Callable[[int], Awaitable[Any]], is_refused: Callable[[Any], Any]) -> Any:
    """Return the first rejected attempt: existing pages have room for some rows."""
    for n in range(30):
        answer = await attempt(n)
        if is_refused(answer):
            return answer
    raise AssertionError("there was always room")


async def test_a_full_disk_returns_503_at_every_interface_and_fails_the_probe(sqlite_app: App) -> None:
    app, admin = sqlite_app, sqlite_app.tokens["admin"]

    async def by_rest(n: int) -> Any:
        return await app.rest("admin", "POST", "/v1/client/orderCreate", {**ORDER, "order_ref": f"R-{n}"})

    async def by_graphql(n: int) -> Any:
        place = f'name: "N-{n}", address: "{"x" * 200}", lat: 43.6, lng: -79.3'
        query = {"query": f"mutation {{ createDepot({place}) {{ result }} }}"}
        return await app.http.post("/graphql", json=query, headers={"Authorization": f"Bearer {admin}"})

    with writer_with_pragma(app, "PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1000000"):
        full = await first_refusal(by_rest, lambda answer: answer.status_code != 200)
        assert (full.status_code, full.json()["code"], full.headers["Retry-After"]) == (503, "DATABASE_FULL", "60")
        assert full.json()["retry_after_s"] == 60
        assert (await app.rest("admin", "GET", "/v1/depots")).status_code == 200, "reading goes on"
        assert await status_of(app) == (503, "database full", True)
        refused = await first_refusal(by_graphql, lambda answer: "errors" in answer.json())
        assert refused.json()["errors"][0]["extensions"]["code"] == "DATABASE_FULL"
        async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as http:
            agent = McpClient(base, http)
            result = await first_refusal(
                lambda n: agent.call("create_order", {**ORDER, "order_ref": f"M-{n}"}, admin),
                lambda result: result["isError"],
            )
        assert result["structuredContent"]["code"] == "DATABASE_FULL"


async def test_the_probe_recovers_with_the_first_writes_after_space_is_freed(sqlite_app: App) -> None:
    app = sqlite_app

    async def by_rest(n: int) -> Any:
        return await app.rest("admin", "POST", "/v1/client/orderCreate", {**ORDER, "order_ref": f"R-{n}"})

    with writer_with_pragma(app, "PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1000000"):
        await first_refusal(by_rest, lambda answer: answer.status_code != 200)
    assert await status_of(app) == (503, "database full", True)
    for n in range(100, 100 + OutageRecord.WRITES_OF_RECOVERY):
        assert (await by_rest(n)).status_code == 200
    assert await status_of(app) == (200, "ready", False)


async def test_sign_in_on_a_full_disk_says_what_to_do(sqlite_app: App) -> None:
    app, person = sqlite_app, {"email": "ben@demo.example", "password": "four-long-words-here"}
    await app.answer("admin", "create_user", {"name": "Ben", "account": "employee", **person})

    async def by_rest(n: int) -> Any:
        return await app.rest("admin", "POST", "/v1/client/orderCreate", {**ORDER, "order_ref": f"R-{n}"})

    async def sign_in(n: int) -> Any:
        return await app.call(None, "login", person)

    with writer_with_pragma(app, "PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1000000"):
        await first_refusal(by_rest, lambda answer: answer.status_code != 200)
        full = await first_refusal(sign_in, lambda outcome: outcome.status == 503)
    assert full.error["code"] == "DATABASE_FULL"
    assert "free disk space" in full.error["message"]


async def test_sign_in_on_a_full_disk_writes_nothing_and_responds_in_the_callers_language(sqlite_app: App) -> None:
    app, person = sqlite_app, {"email": "ben@demo.example", "password": "four-long-words-here"}
    await app.answer("admin", "create_user", {"name": "Ben", "account": "employee", **person})

    async def by_rest(n: int) -> Any:
        return await app.rest("admin", "POST", "/v1/client/orderCreate", {**ORDER, "order_ref": f"R-{n}"})

    async def sign_in(n: int) -> Any:
        return await app.call(None, "login", person)

    with writer_with_pragma(app, "PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1000000"):
        await first_refusal(by_rest, lambda answer: answer.status_code != 200)
        await first_refusal(sign_in, lambda outcome: outcome.status == 503)
        before = await count_sign_in_rows(app)
        for language in SUPPORTED_LANGUAGES:
            full = await app.call(None, "login", person, accept_language=language)
            assert full.error
            said = app.application.catalogues.translate(language, "database_full")
            assert (full.status, full.error["code"], full.error["message"]) == (503, "DATABASE_FULL", said)
        form = {"email": person["email"], "password": person["password"]}
        page = await app.http.post("/sign-in", data=form, headers={"Accept": "text/html", "Accept-Language": "de"})
        assert page.status_code == 503
        assert "Speicherplatz" in page.text
        assert await count_sign_in_rows(app) == before
    assert (await app.call(None, "login", person)).error is None


async def count_sign_in_rows(app: App) -> list[int]:
    """The numbers of sessions and of entries of the audit trail."""
    async with app.database.read(None) as plain:
        work = plain.without_tenant_filter("a test counts everything")
        return [
            await work.value(select(func.count()).select_from(metadata.tables[name]))
            for name in ("access_token", "audit_entry")
        ]


async def test_a_read_only_file_returns_503(sqlite_app: App) -> None:
    with writer_with_pragma(sqlite_app, "PRAGMA query_only = ON", "PRAGMA query_only = OFF"):
        answer = await sqlite_app.rest("admin", "POST", "/v1/client/orderCreate", ORDER)
        assert (answer.status_code, answer.json()["code"]) == (503, "DATABASE_UNAVAILABLE")
        assert await status_of(sqlite_app) == (503, "database read-only", True)


async def test_a_foreign_lock_blocks_a_call_no_longer_than_its_deadline(
    sqlite_app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("haulier.adapters.sqlite_writer.LOCKED_AFTER_S", 0.01)
    sqlite_app.application.call_deadline_s = 0.05
    with locked_by_another(sqlite_app):
        answer = await sqlite_app.rest("admin", "POST", "/v1/client/orderCreate", ORDER)
        assert (answer.status_code, answer.json()["code"]) == (503, "DEADLINE_EXCEEDED")
        assert answer.headers["Retry-After"] == "1"
        assert await status_of(sqlite_app) == (503, "database locked", True)
    sqlite_app.application.call_deadline_s = 30
    assert (await sqlite_app.rest("admin", "POST", "/v1/client/orderCreate", ORDER)).status_code == 200


@asynccontextmanager
async def raising_function() -> AsyncGenerator[None]:
    """Define a database function that fails with a given code, within the context."""
    body = "BEGIN RAISE EXCEPTION USING ERRCODE = code, MESSAGE = code; END"
    cluster().ask(f"CREATE FUNCTION fails_with(code text) RETURNS int LANGUAGE plpgsql AS $${body}$$")
    try:
        yield
    finally:
        cluster().ask("DROP FUNCTION fails_with")


async def test_postgresql_errors_are_classified_by_code() -> None:
    expected: dict[str, type[Exception]] = {
        "53100": DatabaseFull,
        "53300": DatabaseUnreachable,
        "57P01": DatabaseUnreachable,
        "57P03": DatabaseUnreachable,
        "08006": DatabaseUnreachable,
        "25006": DatabaseReadOnly,
        "40001": TransactionRetry,
    }
    database = database_for(cluster().url())
    met = dict[str, type[Exception]]()
    async with raising_function():
        for code in expected:
            try:
                async with database.write(None) as work:
                    await work.value(select(func.fails_with(code)))
            except (DatabaseOutage, TransactionRetry) as error:
                met[code] = type(error)
        assert (met, database.outage()) == (expected, "database full")
        await database.close()
    cluster().sweep()


async def test_an_unavailable_server_returns_503() -> None:
    database = database_for("postgresql://haulier@127.0.0.1:1/nowhere")
    for unit in (database.read, database.write):
        with pytest.raises(DatabaseUnreachable):
            async with unit(None) as work:
                await work.value(select(func.now()))
    with pytest.raises(DatabaseUnreachable):
        await database.ping()
