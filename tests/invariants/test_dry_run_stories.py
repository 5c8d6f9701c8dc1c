"""Dry runs of writes that need an email, app, provider or document first.

`tests/invariants/test_dry_runs.py` previews all other writes over one day of work and lists the writes tested here.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.invariants.dry_run_stories import COVERED_ELSEWHERE, STORIES, WITH_THEIR_OWN
from tests.support.app import App
from tests.support.tables import rows

REMEMBERED = {"failed_sign_in", "phone_challenge"}
"""Attempts with a password or code count even in a dry run, so that dry runs can't be used for guessing."""


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
async def test_a_write_that_succeeds_changes_nothing_in_a_dry_run(
    app: App, story: Callable[[App], Awaitable[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = rehearsing_first(app, STORIES[story], monkeypatch)
    await story(app)
    assert STORIES[story] - reached == set()


def test_every_write_has_a_dry_run_test() -> None:
    here = set().union(*STORIES.values())
    assert sorted(COVERED_ELSEWHERE.keys() - here - WITH_THEIR_OWN.keys()) == []
    assert sorted((here | WITH_THEIR_OWN.keys()) - COVERED_ELSEWHERE.keys()) == []


def rehearsing_first(app: App, names: set[str], monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Preview the given operations before each call, and require that nothing changes.

    Returns the set of operations that succeeded so far.
    """
    call, reached = app.call, set[str]()

    async def careful(who: str | None, operation: str, values: Any = None, **words: Any) -> Any:
        if operation not in names:
            return await call(who, operation, values, **words)
        before = await rows(app, but=REMEMBERED)
        shown = await call(who, operation, values, dry_run=True, **words)
        assert await rows(app, but=REMEMBERED) == before, operation
        done = await call(who, operation, values, **words)
        assert (shown.error, done.error) == (None, None), operation
        assert type(shown.answer) is type(done.answer), operation
        reached.add(operation)
        return done

    monkeypatch.setattr(app, "call", careful)
    return reached
