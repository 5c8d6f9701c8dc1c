"""Every write is rehearsed where it succeeds: it previews, lists its letters, and leaves every row as it was."""

from typing import Any

import msgspec
from tests.invariants.business import AS, a_business, actor
from tests.invariants.dry_run_day import Known, Step, day, learn, taken
from tests.invariants.dry_run_stories import COVERED_ELSEWHERE
from tests.invariants.example_requests import a_request_for
from tests.support.app import App
from tests.support.tables import rows

from haulier.app import registry
from haulier.contexts.identity import public as access
from haulier.kernel.data.tables import is_derived, metadata
from haulier.kernel.operations.enums import Account, Effect

WRITES = {operation.name for operation in registry() if operation.effect is Effect.WRITE}


async def rehearse_then_do(app: App, one: Step, known: Known) -> None:
    """The rehearsal succeeds and changes nothing; then the same call does it."""
    await learn(app, one, known)
    asked, before = one.asked(known), await rows(app)
    shown = await app.call(one.who, one.operation, asked, dry_run=True)
    assert shown.error is None, (one.operation, shown.error)
    assert await rows(app) == before, one.operation
    assert shown.side_effects is not None
    done = await app.call(one.who, one.operation, asked)
    assert type(shown.answer) is type(done.answer), (one.operation, done.error)
    plain = msgspec.to_builtins(done.answer)
    known.update({name: taken(plain, path) for name, path in one.brings.items()})


async def test_every_write_is_tried_in_a_dry_run_where_it_succeeds(app: App) -> None:
    known: Known = dict(app.ids)
    reached: set[str] = set()
    for one in day():
        await rehearse_then_do(app, one, known)
        reached.add(one.operation)
    reached |= await plausible_ones(app, WRITES - reached - COVERED_ELSEWHERE.keys())
    assert sorted(WRITES - reached - COVERED_ELSEWHERE.keys()) == []
    assert sorted(COVERED_ELSEWHERE.keys() - WRITES) == []


async def plausible_ones(app: App, names: set[str]) -> set[str]:
    """Those of some writes that a plausible request reaches, all rehearsed in one business: none leaves a trace."""
    await app.answer("admin", "set_module", {"module": "broker_order_assignments", "enabled": True})
    found: set[str] = set()
    known = await a_business_beside(app)
    before = await rows(app)
    for name in sorted(names):
        operation = registry()[name]
        outcome = await app.call(actor(operation, AS), name, a_request_for(operation, known), dry_run=True)
        assert await rows(app) == before, name
        if outcome.error is None:
            found.add(name)
    return found


async def a_business_beside(app: App) -> dict[str, Any]:
    """A further business in the same client; the drivers' accounts are taken already, so it has one of its own."""
    words = {"client_id": app.clients["demo"], "account": Account.DRIVER, "now": app.clock.now}
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("tests act for every client")
        app.ids["driver"] = await access.provision_user(work, email="third@demo.example", name="Third", **words)
    return await a_business(app)


async def test_what_people_at_a_desk_see_of_a_dry_run_is_what_then_happens(app: App) -> None:
    known: Known = dict(app.ids)
    differing: list[str] = []
    for one in day():
        await learn(app, one, known)
        asked = one.asked(known)
        shown = await app.call(one.who, one.operation, asked, dry_run=True)
        changed = {change.record for change in shown.changes or ()}
        before = await rows(app)
        done = await app.answer(one.who, one.operation, asked)
        after = await rows(app)
        real = {name for name in before | after if before.get(name) != after.get(name)} - OF_THE_HOUSE
        if shown.changes is not None and changed - real:
            differing.append(one.operation)
        goes_on = registry()[one.operation].conclude is not None  # what others do after the commit, nobody can rehearse
        if shown.changes is not None and real - changed - SECRET and not goes_on:
            differing.append(one.operation)
        known.update({name: taken(msgspec.to_builtins(done), path) for name, path in one.brings.items()})
    assert differing == []


DERIVED = {name for name, table in metadata.tables.items() if is_derived(table)}
OF_THE_HOUSE = {"job", "audit_entry", "audit_subject", "idempotency_key"} | DERIVED
"""What people are not told: what the application notes for itself, and what only repeats other rows."""


SECRET = {"user_account"}
"""A change of a password shows in the row and is not told."""
