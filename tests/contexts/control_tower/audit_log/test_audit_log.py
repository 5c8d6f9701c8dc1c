"""The audit trail as an admin reads it."""

from typing import Any

from tests.support.app import App
from tests.support.every_case import for_every

SECRET = "correct horse battery"


def code(outcome: Any) -> tuple[int, str]:
    return outcome.status, outcome.error["code"]


async def ben(app: App) -> int:
    asked = {"name": "Ben", "email": "ben@demo.example", "account": "driver", "password": SECRET}
    return (await app.answer("admin", "create_user", asked)).user.id


async def entries(app: App, who: str = "admin", **filters: Any) -> list[Any]:
    return (await app.answer(who, "list_audit_entries", filters)).entries


@for_every("who", ["employee", "contractor", "driver", "customer"])
async def test_only_admins_can_read_the_log(app: App, who: str) -> None:
    assert code(await app.call(None, "list_audit_entries")) == (401, "UNAUTHENTICATED")
    assert code(await app.call(who, "list_audit_entries")) == (403, "ACCOUNT_NOT_ALLOWED")


async def test_an_entry_names_actor_action_and_subject_without_secrets(app: App) -> None:
    id = await ben(app)
    entry = (await entries(app))[0]
    assert (entry.operation, entry.user_id, entry.user_name) == ("create_user", app.ids["admin"], "Admin")
    assert (entry.account, entry.door, entry.at) == ("client_admin", "rest", app.clock.now)
    assert [(each.kind, each.id) for each in entry.subjects] == [("user", id)]
    assert entry.request["email"] == "ben@demo.example"
    assert SECRET not in str(entry)


async def test_a_sign_in_is_recorded_in_the_trail_of_the_users_business_under_their_name(app: App) -> None:
    id = await ben(app)
    await app.answer(None, "login", {"email": "ben@demo.example", "password": SECRET})
    entry = (await entries(app, operation="login"))[0]
    assert (entry.user_id, entry.user_name, entry.account) == (id, "Ben", "driver")
    assert [(each.kind, each.id) for each in entry.subjects] == [("user", id)]
    assert await entries(app, "rival", operation="login") == []


async def test_another_businesss_trail_is_not_found(app: App) -> None:
    id = await ben(app)
    assert await entries(app, "rival") == []
    assert await entries(app, "rival", subject_kind="user", subject_id=id) == []


async def test_every_filter_returns_matching_entries(app: App) -> None:
    id = await ben(app)
    app.clock.forward(hours=1)
    await app.answer("admin", "disable_user", {"user_id": id})
    await app.answer("employee", "update_me", {"language": "de"})
    found = {
        "operation": await entries(app, operation="disable_user"),
        "user_id": await entries(app, user_id=app.ids["employee"]),
        "account": await entries(app, account="employee"),
        "door": await entries(app, door="mcp"),
        "request_id": await entries(app, request_id="another"),
        "subject": await entries(app, subject_kind="user", subject_id=id),
        "since": await entries(app, since=app.clock.now.isoformat()),
        "until": await entries(app, until=app.clock.now.isoformat()),
    }
    assert {name: [entry.operation for entry in listed] for name, listed in found.items()} == {
        "operation": ["disable_user"],
        "user_id": ["update_me"],
        "account": ["update_me"],
        "door": [],
        "request_id": [],
        "subject": ["disable_user", "create_user"],
        "since": ["update_me", "disable_user"],
        "until": ["create_user"],
    }


async def test_pages_are_listed_newest_first_at_a_constant_cost(app: App) -> None:
    for n in range(5):
        await app.answer("admin", "update_me", {"name": f"Admin {n}"})
    costs, seen = [], []
    for page in (1, 2, 3):
        before = app.statements
        listed = await app.answer("admin", "list_audit_entries", {"page": page, "per_page": 2})
        costs.append(app.statements - before)
        seen += [entry.request["name"] for entry in listed.entries]
        assert listed.total == 5
    assert seen == [f"Admin {n}" for n in (4, 3, 2, 1, 0)]
    assert len(set(costs)) == 1


async def test_refused_writes_and_dry_runs_leave_no_entry(app: App) -> None:
    await app.call("admin", "disable_user", {"user_id": app.ids["admin"]})
    await app.call("admin", "update_me", {"name": "No"}, dry_run=True)
    assert await entries(app) == []
