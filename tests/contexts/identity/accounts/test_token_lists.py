"""Lists of tokens and sessions by user, status, name and permissions."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.app import START, App

from haulier.contexts.identity import public as access
from haulier.contexts.identity.accounts.rules import TOKEN_ENDED, TokenState, require_token_active, token_state
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import OperationError

SECRET = "correct horse battery"
MOMENTS = st.datetimes(min_value=START.replace(tzinfo=None), timezones=st.just(START.tzinfo))


async def records(app: App, who: str = "admin", **options: Any) -> list[Any]:
    """Return the listed tokens, without the unnamed tokens of every test."""
    return [token for token in (await app.answer(who, "list_api_tokens", options)).tokens if token.name]


async def tokens(app: App, who: str = "admin", **options: Any) -> list[str]:
    """Their names."""
    return [token.name for token in await records(app, who, **options)]


async def issued(app: App, name: str, who: str = "admin", **options: Any) -> int:
    return (await app.answer(who, "issue_api_token", {"name": name, **options})).id


async def some_tokens(app: App) -> None:
    """The admin's, of every state; the driver's, that works."""
    await issued(app, "Night run", expires_in_days=1)
    await app.answer("admin", "revoke_api_token", {"token_id": await issued(app, "Lost laptop", expires_in_days=1)})
    app.clock.forward(days=2)
    await issued(app, "Label printer", profile="ops-write")
    await issued(app, "Dan's scanner", who="driver", scopes=["routes:read"])


class TestTokens:
    async def test_tokens_are_filtered_by_state(self, app: App) -> None:
        await some_tokens(app)
        assert await tokens(app) == ["Label printer"]
        assert await tokens(app, state="expired") == ["Night run"]
        assert await tokens(app, state="revoked") == ["Lost laptop"]
        assert await tokens(app, state="any") == ["Label printer", "Lost laptop", "Night run"]
        listed = await records(app, state="any")
        assert [token.state.value for token in listed] == ["active", "revoked", "expired"]
        assert [token.revoked_at for token in listed] == [None, START, None]

    async def test_only_admins_filter_tokens_by_user_or_list_all(self, app: App) -> None:
        await some_tokens(app)
        assert await tokens(app, user_id=app.ids["driver"]) == ["Dan's scanner"]
        everybodys = await records(app, all_users=True)
        assert [(token.name, token.user_id, token.user_name) for token in everybodys] == [
            ("Dan's scanner", app.ids["driver"], "Driver"),
            ("Label printer", app.ids["admin"], "Admin"),
        ]
        assert await tokens(app, "rival", all_users=True) == []
        assert await tokens(app, "rival", user_id=app.ids["driver"]) == []
        assert (await app.call("employee", "list_api_tokens", {"all_users": True})).status == 404

    async def test_the_name_filter_treats_every_character_literally(self, app: App) -> None:
        for name in ("100% loads", "100 loads", "a_b", "axb"):
            await issued(app, name)
        assert await tokens(app, search="LOADS") == ["100 loads", "100% loads"]
        assert await tokens(app, search="0%") == ["100% loads"]
        assert await tokens(app, search="a_b") == ["a_b"]

    async def test_tokens_are_filtered_by_scope(self, app: App) -> None:
        await some_tokens(app)
        await issued(app, "Reader", profile="ops-readonly")
        assert await tokens(app, scope="orders:read", all_users=True) == ["Reader", "Label printer"]
        assert await tokens(app, scope="orders:write", all_users=True) == ["Label printer"]
        assert await tokens(app, profile="ops-readonly", all_users=True) == ["Reader", "Label printer"]
        assert await tokens(app, profile="ops-write") == ["Label printer"]
        assert await tokens(app, profile="ops-write", scope="routes:read", search="reader") == []
        assert (await app.call("admin", "list_api_tokens", {"profile": "root"})).status == 422

    async def test_tokens_are_paged_at_a_constant_cost(self, app: App) -> None:
        costs = []
        for names in (("job 1",), ("job 2", "job 3", "job 4")):
            for name in names:
                await issued(app, name)
            app.statements = 0
            body = {"all_users": True, "per_page": 2, "state": "any", "search": "job"}
            page = await app.answer("admin", "list_api_tokens", body)
            costs.append(app.statements)
        assert (page.total, [token.name for token in page.tokens]) == (4, ["job 4", "job 3"])
        assert costs[0] == costs[1]
        assert await tokens(app, per_page=2, page=2, search="job") == ["job 2", "job 1"]

    async def test_the_rest_query_applies_the_same_filters(self, app: App) -> None:
        await some_tokens(app)
        answer = await app.rest("admin", "GET", "/v1/tokens?state=expired&search=n")
        assert [token["name"] for token in answer.json()["tokens"]] == ["Night run"]
        assert (await app.rest("admin", "GET", "/v1/tokens?state=lost")).status_code == 422


class TestSessions:
    async def signed_in(self, app: App, *devices: str) -> int:
        body = {"name": "Ben", "email": "ben@demo.example", "account": "driver", "password": SECRET}
        id = (await app.answer("admin", "create_user", body)).user.id
        for device in devices:
            login = {"email": body["email"], "password": SECRET, "device": device}
            app.tokens[device] = (await app.answer(None, "login", login)).access_token
        return id

    async def test_users_can_list_their_own_sessions(self, app: App) -> None:
        await self.signed_in(app, "old phone", "phone", "desk")
        await app.answer("old phone", "logout")
        listed = (await app.answer("desk", "list_sessions")).sessions
        assert [(entry.device, entry.current, entry.state.value) for entry in listed] == [
            ("desk", True, "active"),
            ("phone", False, "active"),
        ]
        (gone,) = (await app.answer("desk", "list_sessions", {"state": "revoked"})).sessions
        assert (gone.device, gone.revoked_at) == ("old phone", START)
        found = (await app.answer("desk", "list_sessions", {"state": "any", "search": "PHONE"})).sessions
        assert [entry.device for entry in found] == ["phone", "old phone"]

    async def test_an_admin_lists_the_api_tokens_of_a_user_and_no_sessions(self, app: App) -> None:
        id = await self.signed_in(app, "phone")
        await issued(app, "program", who="phone", scopes=["routes:read"])
        app.clock.forward(days=20)
        await self.sign_in_again(app)
        body = {"user_id": id, "state": "expired", "per_page": 1}
        page = await app.answer("admin", "list_user_sessions", body)
        assert (page.total, [entry.device for entry in page.sessions]) == (1, ["phone"])

    async def sign_in_again(self, app: App) -> None:
        """The admin, whose own session is over by now."""
        options = {"client_id": app.clients["demo"], "user_id": app.ids["admin"], "account": Account.CLIENT_ADMIN}
        async with app.database.write(None) as plain:
            work = plain.without_tenant_filter("tests act for every client")
            app.tokens["admin"] = await access.issue_token(work, now=app.clock.now, **options)


@given(st.none() | MOMENTS, MOMENTS, MOMENTS)
def test_a_token_is_in_exactly_one_state_and_only_an_active_one_can_be_rotated(
    revoked_at: Any, expires_at: Any, now: Any
) -> None:
    state = token_state(revoked_at, expires_at, now)
    assert (state is TokenState.REVOKED) == (revoked_at is not None)
    assert (state is TokenState.ACTIVE) == (revoked_at is None and now < expires_at)
    if state is TokenState.ACTIVE:
        require_token_active(revoked_at, expires_at, now)
        return
    with pytest.raises(OperationError) as refused:
        require_token_active(revoked_at, expires_at, now)
    assert refused.value.error_type is TOKEN_ENDED
