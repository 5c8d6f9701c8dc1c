"""No operation grants more rights than its caller has.

The operations are not listed by hand: every write of the registry runs, and its writes are inspected.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable
from datetime import timedelta

import msgspec
import pytest
from tests.invariants.business import AS, actor, make_business
from tests.invariants.dry_run_day import Known, day, learn, taken
from tests.invariants.dry_run_stories import COVERED_ELSEWHERE, STORIES
from tests.invariants.example_requests import make_request_for
from tests.invariants.handing_on import CALLERS, PROVEN, SECRET, attacks, give_weak_token, set_the_scene
from tests.invariants.rights import GIVES, GIVES_NOTHING, Right, gained, read_rights, record_giving, right_of
from tests.support.app import PEOPLE, App

from haulier.app import registry
from haulier.kernel.data.tables import metadata
from haulier.kernel.operations.enums import OFFICE, Effect
from haulier.kernel.operations.errors import SCOPES_EXCEEDED

WALKED = attacks(defaultdict(int)).keys()


async def the_day(app: App) -> None:
    """Run a day of work in every part of the application."""
    known: Known = dict(app.ids)
    for one in day():
        await learn(app, one, known)
        done = await app.answer(one.who, one.operation, one.asked(known))
        known.update({name: taken(msgspec.to_builtins(done), path) for name, path in one.brings.items()})


async def every_other_write(app: App) -> None:
    """Send a plausible request for every write as a dry run in one business."""
    known = {**await set_the_scene(app), **await make_business(app)}
    for operation in registry():
        if operation.effect is Effect.WRITE and operation.name not in COVERED_ELSEWHERE:
            await app.call(actor(operation, AS), operation.name, make_request_for(operation, known), dry_run=True)


@pytest.mark.parametrize("source", [the_day, every_other_write, *STORIES], ids=lambda source: source.__name__)
async def test_every_write_that_grants_access_is_in_the_walk(
    sqlite_app: App, source: Callable[[App], Awaitable[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    # One database suffices: the columns of a write do not depend on it.
    giving = record_giving(monkeypatch)
    await source(sqlite_app)
    walked = WALKED | PROVEN.keys()
    assert {name: sorted(columns) for name, columns in giving.items() if name not in walked} == {}


def test_every_table_with_secrets_or_scopes_is_in_the_walk() -> None:
    kept = {
        name
        for name, table in metadata.tables.items()
        for column in table.columns
        if column.name.endswith(("_sha256", "password_hash")) or column.name == "scopes"
    }
    assert sorted(kept - GIVES.keys() - GIVES_NOTHING.keys()) == []


@pytest.mark.parametrize("who", CALLERS)
async def test_a_token_with_one_operations_scopes_grants_no_more(
    app: App, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = await set_the_scene(app)
    giving = record_giving(monkeypatch)
    mighty_one = await app.sign_in(who)
    wrong: list[object] = []
    for name, requests in attacks(known).items():
        operation = registry()[name]
        for values in requests if PEOPLE[who][1] in operation.audience else ():
            mighty = await app.call(mighty_one, name, values, dry_run=True)
            await give_weak_token(app, name, who)
            before = await read_rights(app)
            weak = await app.call("weak", name, values)
            more = gained(before, await read_rights(app))
            ends = app.clock.now + timedelta(days=1)
            held = right_of(PEOPLE[who][1], operation.scopes)
            beyond = {way: right for way, right in more.items() if not is_within(right, held)}
            longer = {way: right for way, right in more.items() if right.until and right.until > ends}
            if (mighty.error and mighty.error["code"] != "NOT_FOUND") or beyond or longer:
                wrong.append((name, values, mighty.error, beyond, longer, weak.error))
    assert wrong == []
    if PEOPLE[who][1] in OFFICE:  # others have nothing of what the scene made
        assert giving.keys() >= {name for name in WALKED if PEOPLE[who][1] in registry()[name].audience}


def is_within(right: Right, held: Right) -> bool:
    """Return True if the gained right does not exceed the caller's."""
    return right.scopes <= held.scopes and right.operations <= held.operations


async def test_scopes_alone_do_not_grant_another_kind_of_account(app: App) -> None:
    known = await set_the_scene(app)
    token = {"name": "weak", "scopes": ["account:write"]}
    app.tokens["weak"] = (await app.answer("admin", "issue_api_token", token)).access_token
    promoted = await app.call("weak", "update_user", {"user_id": known["clerk"], "account": "client_admin"})
    assert (promoted.status, (promoted.error or {})["code"]) == (403, "SESSION_REQUIRED")


async def test_excess_scopes_are_refused_by_name(app: App) -> None:
    known = await set_the_scene(app)
    for name in ("create_user", "update_user", "set_permissions", "invite_user", "enable_user", "set_user_password"):
        await give_weak_token(app, name, "admin")
        refused = await app.call("weak", name, attacks(known)[name][-1])
        assert (refused.status, refused.error and refused.error["code"]) == (403, SCOPES_EXCEEDED.code), name
        assert refused.error
        assert "orders:write" in refused.error["message"], name


async def test_users_cannot_set_their_own_password_for_another(app: App) -> None:
    refused = await app.call("admin", "set_user_password", {"user_id": app.ids["admin"], "password": SECRET})
    assert (refused.status, refused.error and refused.error["code"]) == (403, "OWN_PASSWORD")


async def test_permissions_within_the_limits_can_be_granted(app: App) -> None:
    within = await app.answer("admin", "issue_api_token", {"name": "weak", "scopes": ["account:write", "orders:read"]})
    app.tokens["weak"] = within.access_token
    clerk = (await set_the_scene(app))["clerk"]
    await app.answer("weak", "set_permissions", {"user_id": clerk, "scopes": ["orders:read"]})
    await app.answer("weak", "issue_api_token", {"name": "child", "scopes": ["orders:read"]})
