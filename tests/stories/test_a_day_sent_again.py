"""Writes sent repeatedly over a bad connection, three in parallel, run once."""

import asyncio
from typing import Any
from uuid import uuid4

import msgspec
from tests.invariants.dry_run_day import Known, Step, day, learn, taken
from tests.invariants.full_business import ENDS_THE_DAY
from tests.support.app import App

from haulier.kernel.operations.enums import Effect
from haulier.kernel.pipeline.result import OperationResult

AT_ONCE = 3


async def sent_again(app: App, step: Step, asked: dict[str, Any]) -> list[OperationResult]:
    """Return the outcomes of a step sent several times with one key.

    A step without a stored response is sent once.
    """
    operation = app.application.registry[step.operation]
    if operation.effect is Effect.READ or not operation.replayable:
        return [await app.call(step.who, step.operation, asked)]
    key = uuid4().hex
    at_once = [app.call(step.who, step.operation, asked, idempotency_key=key) for _ in range(AT_ONCE)]
    return [*await asyncio.gather(*at_once), await app.call(step.who, step.operation, asked, idempotency_key=key)]


def fault(app: App, step: Step, outcomes: list[OperationResult]) -> str | None:
    """Return what is wrong with the outcomes of one step, or None."""
    if refused := [outcome.error["code"] for outcome in outcomes if outcome.error]:
        return f"refused: {refused}"
    if sum(not outcome.replayed for outcome in outcomes) != 1:
        return "done more than once"
    answers = {msgspec.json.encode(outcome.answer) for outcome in outcomes}
    # Work after the commit may still be running when a repeat is answered.
    concluded = app.application.registry[step.operation].after_commit is not None
    return "the answers differ" if len(answers) > 1 and not concluded else None


async def test_every_repeated_write_runs_once_and_returns_one_response(app: App) -> None:
    known: Known = dict(app.ids)
    faults, sent = dict[str, str](), 0
    for step in day():
        if step.operation in ENDS_THE_DAY:
            continue
        await learn(app, step, known)
        outcomes = await sent_again(app, step, step.asked(known))
        sent += len(outcomes) > 1
        if found := fault(app, step, outcomes):
            faults[step.operation] = found
        known.update({name: taken(msgspec.to_builtins(outcomes[0].answer), path) for name, path in step.brings.items()})
    assert faults == {}
    assert sent > 400
