"""Sessions of a business's users, for its admins."""

from typing import Any

import pytest
from tests.contexts.identity.sessions.steps import SECRET, ben
from tests.support.app import App

OPERATIONS = ("list_user_sessions", "end_user_sessions")


def code(result: Any) -> tuple[int, str]:
    return result.status, result.error["code"]


@pytest.mark.parametrize("operation", OPERATIONS)
async def test_only_admins_of_the_business_can_list_and_end_sessions(app: App, operation: str) -> None:
    his = {"user_id": await ben(app)}
    assert code(await app.call(None, operation, his)) == (401, "UNAUTHENTICATED")
    assert code(await app.call("employee", operation, his)) == (403, "ACCOUNT_NOT_ALLOWED")
    assert code(await app.call("rival", operation, his)) == (404, "NOT_FOUND")


async def test_an_admin_sees_a_users_sessions_and_can_end_them(app: App) -> None:
    id = await ben(app, "phone", "desk")
    listed = await app.answer("admin", "list_user_sessions", {"user_id": id})
    assert [(entry.device, entry.current) for entry in listed.sessions] == [("desk", False), ("phone", False)]
    assert (await app.answer("admin", "end_user_sessions", {"user_id": id})).revoked == 2
    assert [(await app.call(device, "who_am_i")).status for device in ("phone", "desk")] == [401, 401]
    assert (await app.answer("admin", "list_user_sessions", {"user_id": id})).total == 0


async def test_the_list_has_a_constant_cost(app: App) -> None:
    costs = []
    id = await ben(app, "one")
    for more in ("two", "three", "four"):
        before = app.statements
        await app.answer("admin", "list_user_sessions", {"user_id": id})
        costs.append(app.statements - before)
        await app.answer(None, "login", {"email": "ben@demo.example", "password": SECRET, "device": more})
    assert len(set(costs)) == 1
