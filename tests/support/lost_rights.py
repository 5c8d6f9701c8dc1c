"""Ways in which a user or API token loses its rights."""

from collections.abc import Awaitable, Callable
from typing import Any

from tests.support.app import App

from haulier.contexts.identity import public
from haulier.kernel.operations.enums import Account, Scope

BOSS = {"name": "Boss", "email": "boss@demo.example", "account": "client_admin", "password": "korrekt pferd batterie"}


async def hire_boss(app: App, *scopes: Scope) -> dict[str, int]:
    """Give the caller `boss`, a second admin, an API token with some or all scopes.

    Returns both ids.
    """
    user_id = (await app.answer("admin", "create_user", BOSS)).user.id
    words: dict[str, Any] = {"client_id": app.clients["demo"], "user_id": user_id, "account": Account.CLIENT_ADMIN}
    async with app.database.write(None) as work:
        app.tokens["boss"] = await public.issue_token(work, now=app.clock.now, scopes=scopes or None, days=30, **words)
    (token,) = (await app.answer("boss", "list_api_tokens")).tokens
    return {"user_id": user_id, "token_id": token.id}


async def revoke_token(app: App, boss: dict[str, int]) -> None:
    """Revoke the boss's token."""
    await app.answer("boss", "revoke_api_token", {"token_id": boss["token_id"]})


async def let_token_expire(app: App, boss: dict[str, int]) -> None:
    """Wait until the boss's token has expired."""
    app.clock.forward(days=31)


async def disable_user(app: App, boss: dict[str, int]) -> None:
    """Disable the boss."""
    await app.answer("admin", "disable_user", {"user_id": boss["user_id"]})


async def demote_user(app: App, boss: dict[str, int]) -> None:
    """Make the boss an employee."""
    await app.answer(await app.sign_in("admin"), "update_user", {"user_id": boss["user_id"], "account": "employee"})


LOSSES: dict[str, Callable[[App, dict[str, int]], Awaitable[None]]] = {
    "set_up_ended revoked": revoke_token,
    "set_up_ended expired": let_token_expire,
    "set_up_ended disabled": disable_user,
    "not_permitted demoted": demote_user,
}
"""Ways to lose rights, by the reason stored in records."""
