"""API tokens and the callers they authenticate."""

from datetime import timedelta
from typing import Any

import pytest
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.contexts.identity import public
from haulier.contexts.identity.accounts.queries import AccountsIdentity
from haulier.kernel.operations.scope_profiles import PROFILES


async def issued(app: App, who: str, name: str = "program", **options: Any) -> Any:
    answer = await app.answer(who, "issue_api_token", {"name": name, **options})
    app.tokens[name] = answer.access_token
    return answer


def code(result: Any) -> tuple[int, str]:
    return result.status, result.error["code"]


async def test_issuing_a_token_requires_a_token(app: App) -> None:
    assert code(await app.call(None, "issue_api_token", {"name": "x"})) == (401, "UNAUTHENTICATED")


async def test_a_token_is_limited_to_its_scopes(app: App) -> None:
    answer = await issued(app, "admin", scopes=["orders:read"])
    assert answer.scopes == ["orders:read"]
    assert (await app.answer("program", "who_am_i")).scopes == ["orders:read"]
    assert code(await app.call("program", "list_users")) == (403, "SCOPE_MISSING")


async def test_a_token_cannot_issue_a_more_powerful_one(app: App) -> None:
    await issued(app, "admin", scopes=["account:write", "orders:read"])
    mightier = {"name": "more", "scopes": ["orders:write"]}
    assert code(await app.call("program", "issue_api_token", mightier)) == (403, "SCOPES_EXCEEDED")
    assert (await issued(app, "program", "child", profile="full")).scopes == ["account:write", "orders:read"]


async def test_a_token_without_scopes_can_read_operations(app: App) -> None:
    assert (await issued(app, "admin")).scopes == sorted(PROFILES["ops-readonly"])


async def test_an_unknown_profile_is_refused(app: App) -> None:
    assert code(await app.call("admin", "issue_api_token", {"name": "x", "profile": "root"})) == (
        422,
        "UNKNOWN_PROFILE",
    )


async def test_a_token_ends_at_its_expiry_and_on_revocation(app: App) -> None:
    await issued(app, "admin", "short", expires_in_days=1)
    listed = await app.answer("admin", "list_api_tokens")
    mine = next(token for token in listed.tokens if token.name == "short")
    await app.answer("admin", "revoke_api_token", {"token_id": mine.id})
    assert code(await app.call("short", "who_am_i")) == (401, "INVALID_TOKEN")
    await issued(app, "admin", "other", expires_in_days=1)
    app.clock.forward(days=1)
    assert code(await app.call("other", "who_am_i")) == (401, "TOKEN_EXPIRED")


@for_every("who", ["employee", "driver", "rival"])
async def test_another_users_token_is_not_found(app: App, who: str) -> None:
    id = (await issued(app, "admin")).id
    assert code(await app.call(who, "revoke_api_token", {"token_id": id})) == (404, "NOT_FOUND")
    others = await app.call(who, "list_api_tokens", {"user_id": app.ids["admin"]})
    assert others.error is not None or others.answer.total == 0  # type: ignore[union-attr]
    assert (await app.call("program", "who_am_i")).error is None


async def test_an_admin_can_see_and_revoke_a_drivers_token(app: App) -> None:
    id = (await issued(app, "driver", scopes=["routes:read"])).id
    listed = await app.answer("admin", "list_api_tokens", {"user_id": app.ids["driver"]})
    assert id in {token.id for token in listed.tokens}
    await app.answer("admin", "revoke_api_token", {"token_id": id})
    assert (await app.call("program", "who_am_i")).status == 401


async def test_an_admin_can_issue_a_token_for_a_provider_only(app: App) -> None:
    provider = {"name": "Fast Carrier", "email": "it@carrier.example", "account": "provider"}
    id = (await app.answer("admin", "create_user", provider)).user.id
    answer = await issued(app, "admin", provider_id=id)
    assert "tracking:write" in answer.scopes
    assert (await app.answer("program", "who_am_i")).user.account == "provider"
    for who, whose, refusal in (
        ("admin", app.ids["driver"], (403, "NOT_A_PROVIDER")),
        ("employee", id, (404, "NOT_FOUND")),
        ("rival", id, (404, "NOT_FOUND")),
    ):
        assert code(await app.call(who, "issue_api_token", {"name": "x", "provider_id": whose})) == refusal


async def test_authentication_uses_one_statement(app: App) -> None:
    async with app.database.read(None) as work:
        principal = await AccountsIdentity().identify(work, app.tokens["customer"], app.clock.now)
        assert work.statements == 1
    assert (principal.user_id, principal.client_id) == (app.ids["customer"], app.clients["demo"])
    assert principal.business
    assert principal.business.time_zone == "America/Toronto"


async def test_last_use_is_recorded_hourly(app: App) -> None:
    identity: Any = app.application.identity
    await app.answer("driver", "who_am_i")
    assert await identity.record_token_use(app.database, app.clock.now) == 1
    token = (await app.answer("driver", "list_api_tokens")).tokens[0]
    assert token.last_used_at == app.clock.now
    assert await identity.record_token_use(app.database, app.clock.now) == 0
    app.clock.forward(hours=2)
    await app.answer("driver", "who_am_i")
    assert await identity.record_token_use(app.database, app.clock.now) == 1


async def test_the_cli_issues_tokens_by_address_and_profile(app: App) -> None:
    async with app.database.write(None) as work:
        token = await public.issue_token_by_email(
            work, email="Driver@Demo.example", profile="full", now=app.clock.now, days=1
        )
        with pytest.raises(public.UnknownUser):
            await public.issue_token_by_email(work, email="nobody@demo.example", now=app.clock.now)
    app.tokens["cli"] = token
    me = await app.answer("cli", "who_am_i")
    assert me.user.account == "driver"
    assert "labels:write" not in me.scopes


class TestRotation:
    async def rotated(self, app: App, who: str, token_id: int, **options: Any) -> Any:
        return await app.call(who, "rotate_api_token", {"token_id": token_id, **options})

    async def test_a_rotated_token_keeps_its_rights_and_replaces_the_old_secret(self, app: App) -> None:
        old = await issued(app, "employee", scopes=["orders:read", "labels:read"])
        new = (await self.rotated(app, "employee", old.id)).answer
        app.tokens["new"] = new.access_token
        assert (await app.answer("new", "who_am_i")).scopes == ["labels:read", "orders:read"]
        assert code(await app.call("program", "who_am_i")) == (401, "INVALID_TOKEN")
        listed = await app.answer("employee", "list_api_tokens")
        assert [token.name for token in listed.tokens if token.id == new.id] == ["program"]

    async def test_with_an_overlap_both_secrets_work_for_a_while(self, app: App) -> None:
        old = await issued(app, "employee", scopes=["orders:read"])
        app.tokens["new"] = (await self.rotated(app, "employee", old.id, overlap_min=10)).answer.access_token
        assert [(await app.call(entry, "who_am_i")).status for entry in ("program", "new")] == [200, 200]
        app.clock.forward(minutes=10)
        assert [(await app.call(entry, "who_am_i")).status for entry in ("program", "new")] == [401, 200]

    async def test_an_overlap_never_extends_the_expiry(self, app: App) -> None:
        old = await issued(app, "employee", scopes=["orders:read"], expires_in_days=1)
        app.clock.forward(days=1, minutes=-5)
        await self.rotated(app, "employee", old.id, overlap_min=60)
        app.clock.forward(minutes=5)
        assert code(await app.call("program", "who_am_i")) == (401, "TOKEN_EXPIRED")

    @for_every("who", ["admin", "driver", "rival"])
    async def test_users_cannot_rotate_a_colleagues_token(self, app: App, who: str) -> None:
        old = await issued(app, "employee", scopes=["orders:read"])
        assert code(await self.rotated(app, who, old.id)) == (404, "NOT_FOUND")
        assert (await app.call("program", "who_am_i")).error is None

    async def test_an_admin_can_rotate_tokens_of_providers(self, app: App) -> None:
        robot = {"name": "Robot", "email": "robot@demo.example", "account": "provider"}
        id = (await app.answer("admin", "create_user", robot)).user.id
        old = await issued(app, "admin", provider_id=id)
        app.tokens["new"] = (await self.rotated(app, "admin", old.id)).answer.access_token
        assert (await app.answer("new", "who_am_i")).user.id == id

    async def test_rotation_does_not_turn_a_weak_token_into_a_more_powerful_one(self, app: App) -> None:
        mighty = await issued(app, "employee", "mighty", profile="full")
        await issued(app, "employee", "weak", scopes=["account:write"])
        assert code(await self.rotated(app, "weak", mighty.id)) == (403, "SCOPES_EXCEEDED")

    async def test_an_ended_token_cannot_be_rotated(self, app: App) -> None:
        old = await issued(app, "employee", scopes=["orders:read"])
        await app.answer("employee", "revoke_api_token", {"token_id": old.id})
        assert code(await self.rotated(app, "employee", old.id)) == (409, "TOKEN_ENDED")


class TestChildren:
    """A token issued with another token ends with it, at the latest."""

    KEEPER = ("account:read", "account:write", "orders:read")

    async def family(self, app: App) -> list[Any]:
        """Return a signed-in user's token, the token it issued, and the next one."""
        app.tokens["desk"] = await make_session(app)
        parent = await issued(app, "desk", "parent", scopes=self.KEEPER, expires_in_days=1)
        child = await issued(app, "parent", "child", scopes=self.KEEPER, expires_in_days=365)
        return [parent, child, await issued(app, "child", "grandchild", scopes=self.KEEPER, expires_in_days=365)]

    async def states(self, app: App) -> list[int]:
        return [(await app.call(name, "who_am_i")).status for name in ("parent", "child", "grandchild")]

    async def test_no_child_token_outlives_its_parent(self, app: App) -> None:
        parent, child, grandchild = await self.family(app)
        assert parent.expires_at == child.expires_at == grandchild.expires_at == app.clock.now + timedelta(days=1)

    async def test_the_list_shows_the_issuing_token(self, app: App) -> None:
        parent, child, grandchild = await self.family(app)
        listed = {token.id: token.parent_id for token in (await app.answer("desk", "list_api_tokens")).tokens}
        assert listed == {parent.id: None, child.id: parent.id, grandchild.id: child.id}

    async def test_revoking_the_first_token_ends_all_descendants(self, app: App) -> None:
        parent, *_ = await self.family(app)
        await app.answer("desk", "revoke_api_token", {"token_id": parent.id})
        assert await self.states(app) == [401, 401, 401]
        assert (await app.answer("desk", "list_api_tokens", {"state": "revoked"})).total == 3

    async def test_the_parent_continues_when_a_child_is_revoked(self, app: App) -> None:
        _, child, _ = await self.family(app)
        await app.answer("desk", "revoke_api_token", {"token_id": child.id})
        assert await self.states(app) == [200, 401, 401]

    async def test_child_tokens_end_with_the_old_secret_when_the_parent_is_rotated(self, app: App) -> None:
        parent, *_ = await self.family(app)
        await app.answer("desk", "rotate_api_token", {"token_id": parent.id, "overlap_min": 10})
        assert await self.states(app) == [200, 200, 200]
        app.clock.forward(minutes=10)
        assert await self.states(app) == [401, 401, 401]

    async def test_a_rotated_child_still_depends_on_its_parent(self, app: App) -> None:
        parent, child, _ = await self.family(app)
        for who in ("child", "desk"):
            rotation = {"token_id": child.id, "expires_in_days": 365}
            child = await app.answer(who, "rotate_api_token", rotation)
            app.tokens["child"] = child.access_token
            assert child.expires_at == parent.expires_at, who
        await app.answer("desk", "revoke_api_token", {"token_id": parent.id})
        assert await self.states(app) == [401, 401, 401]

    async def test_a_token_cannot_extend_its_own_expiry_and_a_user_can(self, app: App) -> None:
        parent, *_ = await self.family(app)
        for who, days in (("parent", 1), ("desk", 365)):
            rotation = {"token_id": parent.id, "expires_in_days": 365}
            parent = await app.answer(who, "rotate_api_token", rotation)
            assert parent.expires_at == app.clock.now + timedelta(days=days), who

    async def test_tokens_end_with_the_user_even_at_a_provider(self, app: App) -> None:
        robot = {"name": "Robot", "email": "robot@demo.example", "account": "provider"}
        id = (await app.answer("admin", "create_user", robot)).user.id
        await self.family(app)
        await issued(app, "desk", "wide", scopes=["account:write", "tracking:write"])
        await issued(app, "wide", "robot", provider_id=id, scopes=["tracking:write"])
        assert (await app.call("robot", "who_am_i")).status == 200
        await app.answer("admin", "disable_user", {"user_id": (await app.answer("desk", "who_am_i")).user.id})
        assert (await app.call("robot", "who_am_i")).status == 401


async def make_session(app: App) -> str:
    """A second admin, signed in."""
    ben = {"email": "ben@demo.example", "password": "correct horse battery"}
    await app.answer("admin", "create_user", {"name": "Ben", "account": "client_admin", **ben})
    return (await app.answer(None, "login", ben)).access_token
