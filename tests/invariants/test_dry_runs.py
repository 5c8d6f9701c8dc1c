"""Dry runs of every write: they preview, list side effects and change no row."""

from typing import Any

import msgspec
from tests.invariants.business import AS, actor, make_business
from tests.invariants.dry_run_day import Known, Step, day, learn, taken
from tests.invariants.dry_run_stories import COVERED_ELSEWHERE
from tests.invariants.example_requests import make_request_for
from tests.support.app import App
from tests.support.tables import rows

from haulier.app import registry
from haulier.contexts.identity import public as access
from haulier.kernel.data.tables import is_derived, metadata
from haulier.kernel.operations.enums import Account, Effect

WRITES = {operation.name for operation in registry() if operation.effect is Effect.WRITE}


class Walk:
    """A walk through the day that previews and runs each step, comparing all rows."""

    def __init__(self, app: App, known: Known) -> None:
        self._app, self._known = app, known
        self._before: dict[str, list[str]] = {}
        self.told_wrongly: list[str] = []

    async def begin(self) -> None:
        self._before = await rows(self._app)

    async def take(self, one: Step) -> None:
        """Preview a step, require that nothing changes, then run it."""
        await learn(self._app, one, self._known)
        asked = one.asked(self._known)
        shown = await self._app.call(one.who, one.operation, asked, dry_run=True)
        assert shown.error is None, (one.operation, shown.error)
        assert shown.side_effects is not None
        assert await rows(self._app) == self._before, one.operation
        done = await self._app.answer(one.who, one.operation, asked)
        assert type(shown.answer) is type(done), one.operation
        after = await rows(self._app)
        if shown.changes is not None and not self._is_told(one, shown.changes, after):
            self.told_wrongly.append(one.operation)
        self._before = after
        plain = msgspec.to_builtins(done)
        self._known.update({name: taken(plain, path) for name, path in one.brings.items()})

    def _is_told(self, one: Step, changes: Any, after: dict[str, list[str]]) -> bool:
        """Return True if the changed tables match the preview."""
        told, before = {change.record for change in changes}, self._before
        real = {name for name in before | after if before.get(name) != after.get(name)} - OF_THE_HOUSE
        goes_on = registry()[one.operation].after_commit is not None  # a dry run can't predict work after the commit
        return not told - real and (goes_on or not real - told - SECRET)


async def test_every_dry_run_changes_nothing_and_previews_the_result(sqlite_app: App) -> None:
    # One database suffices: other tests approve the day step by step and dry-run every write on both.
    app = sqlite_app
    known: Known = dict(app.ids)
    reached: set[str] = set()
    walk = Walk(app, known)
    await walk.begin()
    for one in day():
        await walk.take(one)
        reached.add(one.operation)
    assert walk.told_wrongly == []
    reached |= await plausible_ones(app, WRITES - reached - COVERED_ELSEWHERE.keys())
    assert sorted(WRITES - reached - COVERED_ELSEWHERE.keys()) == []
    assert sorted(COVERED_ELSEWHERE.keys() - WRITES) == []


async def plausible_ones(app: App, names: set[str]) -> set[str]:
    """Return the writes whose plausible request succeeds as a dry run.

    None may change a row.
    """
    await app.answer("admin", "set_module", {"module": "broker_order_assignments", "enabled": True})
    found: set[str] = set()
    known = await make_business_beside(app)
    before = await rows(app)
    for name in sorted(names):
        operation = registry()[name]
        outcome = await app.call(actor(operation, AS), name, make_request_for(operation, known), dry_run=True)
        assert await rows(app) == before, name
        if outcome.error is None:
            found.add(name)
    return found


async def make_business_beside(app: App) -> dict[str, Any]:
    """Create another business in the same client, with a driver account of its own."""
    words = {"client_id": app.clients["demo"], "account": Account.DRIVER, "now": app.clock.now}
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("tests act for every client")
        app.ids["driver"] = await access.provision_user(work, email="third@demo.example", name="Third", **words)
    return await make_business(app)


DERIVED = {name for name, table in metadata.tables.items() if is_derived(table)}
OF_THE_HOUSE = {"job", "audit_entry", "audit_subject", "idempotency_key"} | DERIVED
"""Tables without a sentence: internal records, and copies of other rows."""


SECRET = {"user_account"}
"""Columns that change without a sentence, such as a password digest."""
