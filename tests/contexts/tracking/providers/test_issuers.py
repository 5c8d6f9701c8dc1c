"""Provider keys work only while their issuer could issue them.

See docs/decisions/authorization.md.
"""

import pytest
from sqlalchemy import update
from tests.contexts.tracking.ingest.requests import make_event, make_key, make_timeline, push_document
from tests.support.app import App
from tests.support.lost_rights import LOSSES, disable_user, hire_boss

from haulier.contexts.tracking.providers.jobs import suspend_lapsed_keys
from haulier.contexts.tracking.providers.store import provider_keys


async def push(app: App, key: str) -> int:
    return (await push_document(app, key, make_timeline(make_event()))).status_code


@pytest.mark.parametrize("loss", LOSSES)
async def test_a_key_works_only_while_its_issuer_has_the_permission(app: App, loss: str) -> None:
    boss = await hire_boss(app)
    key = await make_key(app, client="boss")
    assert await push(app, key) == 200
    await LOSSES[loss](app, boss)
    assert await push(app, key) == 401
    who = await app.sign_in("admin")
    (shown,) = (await app.answer(who, "list_provider_keys")).providers
    for _ in range(2):
        assert shown.suspended_reason == loss.split()[0]
        await suspend_lapsed_keys.handler(app.application)
        (shown,) = (await app.answer(who, "list_provider_keys")).providers
    entries = (await app.answer(who, "list_audit_entries", {"operation": "suspend_provider_key"})).entries
    assert [each.request["set_up_by"] for each in entries] == [boss["user_id"]]
    await app.answer(who, "confirm_provider_key", {"provider_id": shown.id})
    assert await push(app, key) == 200
    (shown,) = (await app.answer(who, "list_provider_keys")).providers
    assert (shown.suspended_at, shown.suspended_reason) == (None, None)


async def test_a_suspended_key_is_not_reactivated_with_its_issuer(app: App) -> None:
    boss = await hire_boss(app)
    key = await make_key(app, client="boss")
    await disable_user(app, boss)
    await suspend_lapsed_keys.handler(app.application)
    await app.answer("admin", "enable_user", {"user_id": boss["user_id"]})
    assert await push(app, key) == 401


async def test_a_key_without_an_issuer_belongs_to_the_business(app: App) -> None:
    key = await make_key(app)
    async with app.database.write(app.clients["demo"]) as work:
        await work.run(update(provider_keys).values(set_up_by=None, set_up_with=None))
    assert await push(app, key) == 200


async def test_a_revoked_key_cannot_be_confirmed(app: App) -> None:
    issued = await app.answer("admin", "issue_provider_key", {"name": "Swift"})
    await app.answer("admin", "revoke_provider_key", {"provider_id": issued.id})
    assert (await app.call("admin", "confirm_provider_key", {"provider_id": issued.id})).status == 404
