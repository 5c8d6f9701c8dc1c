"""First start: the reader of the log creates and owns the first business, once."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import select
from tests.support import app as support
from tests.support.app import START, App, make_app
from tests.support.transport import status_and_code

from haulier.contexts.identity import public as access
from haulier.contexts.identity.server_setup.rules import make_business_code
from haulier.contexts.identity.server_setup.store import codes
from haulier.kernel.values.ids import hash_token

OWNER = {
    "business_name": "Wheels & Söhne",
    "name": "Ada",
    "email": "Ada@Wheels.example",
    "password": "four long words here",
}
support_populate = support.populate
INVALID, SET_UP = (403, "SETUP_CODE_INVALID"), (409, "ALREADY_SET_UP")


@pytest.fixture
async def fresh_app(database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[App]:
    """Return a server without accounts."""

    async def nobody(app: App) -> None:
        pass

    monkeypatch.setattr(support, "populate", nobody)
    async with make_app(database_url) as app:
        yield app


async def make_link(app: App) -> str | None:
    """Return the link that the server prints at start."""
    async with app.database.write(None) as work:
        return await access.make_setup_link(work, "http://test", START)


async def make_code(app: App) -> str:
    return str(await make_link(app)).partition("#")[2]


async def set_up(app: App, code: str, **more: Any) -> Any:
    return await app.call(None, "create_first_business", {**OWNER, "setup_code": code, **more})


async def test_the_owner_is_signed_in_at_once_with_all_permissions(fresh_app: App) -> None:
    made = (await set_up(fresh_app, await make_code(fresh_app), language="fr", device="Laptop")).answer
    fresh_app.tokens["ada"] = made.access_token
    me = await fresh_app.answer("ada", "who_am_i")
    assert (me.user.email, me.user.account, me.client.code, me.client.name) == (
        *("ada@wheels.example", "client_admin"),
        *("wheels-sohne", "Wheels & Söhne"),
    )
    assert (me.language, me.client.language, me.client.time_zone) == ("fr", "fr", "UTC")
    (here,) = (await fresh_app.answer("ada", "list_sessions")).sessions
    assert (here.device, here.current) == ("Laptop", True)
    again = {"email": "ada@wheels.example", "password": OWNER["password"]}
    assert (await fresh_app.call(None, "login", again)).status == 200
    entries = (await fresh_app.answer("ada", "list_audit_entries")).entries
    assert "create_first_business" in {entry.operation for entry in entries}


async def test_setup_succeeds_once_under_concurrent_requests(fresh_app: App) -> None:
    code = await make_code(fresh_app)
    results = await asyncio.gather(*(set_up(fresh_app, code, email=f"{n}@wheels.example") for n in range(4)))
    assert sorted(result.status for result in results) == [200, 409, 409, 409]
    assert status_and_code(await set_up(fresh_app, code)) == SET_UP
    assert await make_link(fresh_app) is None


async def test_setup_requires_the_newest_code(fresh_app: App) -> None:
    older, newer = await make_code(fresh_app), await make_code(fresh_app)
    for wrong in (older, "hlsetup_guessed"):
        assert status_and_code(await set_up(fresh_app, wrong)) == INVALID
    assert (await set_up(fresh_app, newer)).error is None


async def test_an_old_code_is_invalid_after_another_user_was_created(fresh_app: App) -> None:
    code = await make_code(fresh_app)
    await support_populate(fresh_app)
    assert status_and_code(await set_up(fresh_app, code)) == SET_UP


async def test_a_weak_password_or_a_dry_run_does_not_use_up_the_code(fresh_app: App) -> None:
    code = await make_code(fresh_app)
    weak = await set_up(fresh_app, code, password="wheels söhne")
    assert [(fault["field"], fault["code"]) for fault in weak.error["errors"]] == [("password", "PASSWORD_IS_NAME")]
    asked = {**OWNER, "setup_code": code}
    rehearsed = await fresh_app.call(None, "create_first_business", asked, dry_run=True)
    assert rehearsed.error is None
    assert await make_link(fresh_app) is not None


async def test_only_the_digest_of_the_code_is_stored(fresh_app: App) -> None:
    code = await make_code(fresh_app)
    async with fresh_app.database.read(None) as work:
        (row,) = await work.all(select(codes))
    assert (row.code_sha256, row.used_at) == (hash_token(code), None)


@pytest.mark.parametrize(
    ("name", "code"),
    [("Łódź Kurier 24!", "odz-kurier-24"), ("快递", "business"), ("Wheels", "wheels-2"), ("A" * 90, "a" * 40)],
)
def test_a_business_gets_a_unique_code_from_its_name(name: str, code: str) -> None:
    assert make_business_code(name, {"wheels"}) == code
