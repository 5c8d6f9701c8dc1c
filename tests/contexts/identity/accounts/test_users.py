"""The users of a client."""

from typing import Any

import pytest
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.contexts.identity import public
from haulier.contexts.identity.accounts.store.tables import EMAIL_MAX
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.enums import Account

WRITES = ("create_user", "update_user", "disable_user", "enable_user", "set_user_password")


def make_user(**changes: Any) -> dict[str, Any]:
    return {
        "name": "Ben",
        "email": "ben@demo.example",
        "account": "driver",
        "password": "correct horse battery",
    } | changes


async def ben(app: App, **changes: Any) -> int:
    return (await app.answer("admin", "create_user", make_user(**changes))).user.id


def code(result: Any) -> tuple[int, str]:
    return result.status, result.error["code"]


@for_every("operation", WRITES)
async def test_only_admins_change_users(app: App, operation: str) -> None:
    assert code(await app.call(None, operation, make_user())) == (401, "UNAUTHENTICATED")
    for who in ("employee", "contractor", "driver", "customer"):
        assert code(await app.call(who, operation, make_user())) == (403, "ACCOUNT_NOT_ALLOWED")


@for_every("operation", ["get_user", "update_user", "disable_user", "enable_user"])
async def test_another_clients_user_is_not_found(app: App, operation: str) -> None:
    assert code(await app.call("rival", operation, {"user_id": app.ids["driver"]})) == (404, "NOT_FOUND")
    assert (await app.answer("admin", "get_user", {"user_id": app.ids["driver"]})).user.active


async def test_a_created_user_can_sign_in_and_is_listed(app: App) -> None:
    await ben(app)
    assert (
        await app.call(None, "login", {"email": "ben@demo.example", "password": "correct horse battery"})
    ).error is None
    listed = await app.answer("employee", "list_users", {"account": "driver", "search": "BEN"})
    assert [(user.name, user.email, user.active) for user in listed.users] == [("Ben", "ben@demo.example", True)]


async def test_an_email_address_is_unique_across_the_platform(app: App) -> None:
    await ben(app)
    assert code(await app.call("rival", "create_user", make_user(name="Other"))) == (409, "EMAIL_TAKEN")
    taken = await app.call("admin", "update_user", {"user_id": app.ids["driver"], "email": "BEN@demo.example"})
    assert code(taken) == (409, "EMAIL_TAKEN")


async def test_every_error_of_a_request_is_reported_together(app: App) -> None:
    result = await app.call("admin", "create_user", {"name": " ", "email": "nowhere", "account": "public"})
    assert result.status == 422
    assert {fault["field"] for fault in (result.error or {})["errors"]} == {"name", "email", "account"}


async def test_a_weak_password_is_refused_by_field(app: App) -> None:
    result = await app.call("admin", "create_user", make_user(password="ben"))
    assert (result.error or {})["errors"][0]["field"] == "password"


async def test_search_treats_wildcards_literally(app: App) -> None:
    for name, email in (("100% Ben", "a@demo.example"), ("Ann_Lee", "b@demo.example"), ("Slash/es", "c@demo.example")):
        await ben(app, name=name, email=email)
    found = {}
    for text in ("%", "_", "/"):
        found[text] = [user.name for user in (await app.answer("admin", "list_users", {"search": text})).users]
    assert found["%"] == ["100% Ben"]
    assert "Ann_Lee" in found["_"]
    assert "100% Ben" not in found["_"]
    assert found["/"] == ["Slash/es"]


async def test_users_are_paged_without_gaps(app: App) -> None:
    whole = await app.answer("admin", "list_users")
    halves = [await app.answer("admin", "list_users", {"page": page, "per_page": 5}) for page in (1, 2)]
    assert [user.id for half in halves for user in half.users] == [user.id for user in whole.users]
    assert whole.total == halves[0].total == 8


async def test_an_update_changes_only_the_given_fields(app: App) -> None:
    id = await ben(app)
    user = (await app.answer("admin", "update_user", {"user_id": id, "name": "Benjamin"})).user
    assert (user.name, user.email, user.account) == ("Benjamin", "ben@demo.example", "driver")


async def test_an_employee_can_become_an_admin_but_a_driver_cannot(app: App) -> None:
    promotion = {"user_id": app.ids["employee"], "account": "client_admin"}
    promoted = await app.answer(await app.sign_in("admin"), "update_user", promotion)
    assert promoted.user.account == "client_admin"
    refused = await app.call("admin", "update_user", {"user_id": app.ids["driver"], "account": "employee"})
    assert code(refused) == (409, "ACCOUNT_FIXED")


async def test_an_api_token_cannot_change_the_kind_of_an_account(app: App) -> None:
    for who, account in (("employee", "client_admin"), ("admin", "employee")):
        await ben(app, account="client_admin", email=f"{who}@other.example")
        refused = await app.call("admin", "update_user", {"user_id": app.ids[who], "account": account})
        assert code(refused) == (403, "SESSION_REQUIRED")


async def test_the_last_admin_can_be_neither_disabled_nor_demoted(app: App) -> None:
    me = {"user_id": app.ids["admin"]}
    assert code(await app.call("admin", "disable_user", me)) == (409, "LAST_ADMIN")
    assert code(await app.call("admin", "update_user", {**me, "account": "employee"})) == (409, "LAST_ADMIN")
    await ben(app, account="client_admin")
    assert (await app.call("admin", "disable_user", me)).error is None


async def test_disabling_a_user_ends_access_immediately_and_enabling_requires_a_new_sign_in(app: App) -> None:
    driver = {"user_id": app.ids["driver"]}
    assert not (await app.answer("admin", "disable_user", driver)).user.active
    assert (await app.call("driver", "who_am_i")).status == 401
    assert (await app.answer("admin", "enable_user", driver)).user.active
    assert (await app.call("driver", "who_am_i")).status == 401


async def test_an_admin_can_set_a_users_password(app: App) -> None:
    id = await ben(app)
    await app.answer("admin", "set_user_password", {"user_id": id, "password": "a fresh long sentence"})
    assert (
        await app.call(None, "login", {"email": "ben@demo.example", "password": "a fresh long sentence"})
    ).error is None


async def test_other_contexts_find_only_users_of_their_client(app: App) -> None:
    result = await app.answer("admin", "disable_user", {"user_id": app.ids["driver2"]})
    assert not result.user.active
    async with app.database.read(app.clients["demo"]) as work:
        call: Any = type("CallLike", (), {"work": work})()
        found = await public.get_users_by_id(call, [app.ids[who] for who in ("driver", "driver2", "rival_driver")])
        assert {id: facts.active for id, facts in found.items()} == {app.ids["driver"]: True, app.ids["driver2"]: False}
        assert await public.get_user_of_account(call, app.ids["driver"], Account.DRIVER) == found[app.ids["driver"]]
        assert await public.get_user_of_account(call, app.ids["driver"], Account.CONTRACTOR) is None
        assert await public.get_user_of_account(call, app.ids["driver2"], Account.DRIVER) is None
        assert await public.get_users_by_id(call, []) == {}


async def test_an_ambiguous_address_is_a_conflict_in_the_cli(app: App) -> None:
    with pytest.raises(UniqueConflict):
        async with app.database.write(None) as work:
            await public.provision_user(
                work,
                client_id=app.clients["demo"],
                email="ADMIN@demo.example",
                name="Again",
                account=Account.EMPLOYEE,
                now=app.clock.now,
            )


async def test_the_longest_valid_email_address_is_accepted(app: App) -> None:
    label = "a" * 60
    address = f"{'b' * 60}@{'.'.join([label] * 3)}.example"
    assert len(address) <= EMAIL_MAX
    assert await ben(app, email=address)
