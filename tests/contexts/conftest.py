"""Writes that no made-up day reaches are rehearsed each time their own tests do them: that changes no row."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from copy import copy
from typing import Any

import pytest
from sqlalchemy import select
from tests.invariants.test_dry_runs import COVERED_ELSEWHERE
from tests.invariants.test_tenant_isolation import REMEMBERED

from haulier.kernel.application import Application
from haulier.kernel.data.tables import metadata
from haulier.kernel.data.unit_of_work import TransactionRetry, UniqueConflict
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.pipeline import run
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.result import OperationResult

TIMES = 3
"""How often a write is rehearsed in a run: often enough to see it succeed, seldom enough to cost little."""
GUESSES = {"phone_challenge"}
"""A guess at a code counts even in a rehearsal, or rehearsals would be a way to guess."""
COUNTING = {
    "test_a_key_makes_only_so_many_calls_a_minute_whatever_they_bring",
    "test_a_proof_of_a_phone_is_no_way_to_ask_who_is_here",
    "test_after_five_guesses_even_the_right_code_is_too_late",
    "test_after_many_failures_the_address_rests_even_for_the_right_password",
    "test_an_agent_is_known_by_the_document_at_its_address",
    "test_guesses_at_the_same_instant_are_all_counted",
    "test_of_right_guesses_at_the_same_instant_one_counts",
    "test_refusing_a_stranger_is_as_much_work_as_refusing_a_user",
    "test_statements_do_not_grow_with_orders",
    "test_whoever_is_refused_costs_the_same_work",
}
"""Tests that count calls, guesses or statements: there, one more before each would be counted, too."""
rehearsed = Counter[str]()


class RehearsedFirst:
    """The step that writes, with a rehearsal before it. Where somebody else writes meanwhile, nothing is compared."""

    def __init__(self) -> None:
        self._write = run._run_write
        self._begun = 0
        self.traces: list[str] = []

    async def __call__(
        self, application: Application, operation_request: OperationRequest, outcome: OperationResult, *given: Any
    ) -> None:
        self._begun += 1
        name = operation_request.operation.name
        if name in COVERED_ELSEWHERE and not operation_request.dry_run and rehearsed[name] < TIMES:
            await self._rehearse(application, operation_request, *given)
        await self._write(application, operation_request, outcome, *given)

    async def _rehearse(self, application: Application, operation_request: OperationRequest, *given: Any) -> None:
        begun, before = self._begun, await _rows(application)
        rehearsal, shown = (
            copy(operation_request),
            OperationResult(language="en", request_id=operation_request.request_id),
        )
        rehearsal.dry_run = True
        with suppress(
            OperationError, UniqueConflict, TransactionRetry
        ):  # the real call is about to say the same, and its test judges that
            await self._write(application, rehearsal, shown, *given)
            rehearsed[operation_request.operation.name] += 1
        if begun == self._begun and await _rows(application) != before:
            self.traces.append(operation_request.operation.name)


async def _rows(application: Application) -> dict[str, list[str]]:
    async with application.database.read(None) as plain:
        work = plain.without_tenant_filter("a test compares everything")
        return {
            name: sorted(map(repr, await work.all(select(table))))
            for name, table in metadata.tables.items()
            if name not in REMEMBERED | GUESSES
        }


@pytest.fixture(autouse=True)
def rehearsed_first(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    step = RehearsedFirst()
    if request.function.__name__ not in COUNTING:
        monkeypatch.setattr(run, "_run_write", step)
    yield
    assert step.traces == [], "a rehearsal left a trace"
