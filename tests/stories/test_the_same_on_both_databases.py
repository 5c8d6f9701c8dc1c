"""Both databases give the same responses to every read after a day of work."""

import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from tests.invariants.business import AS, actor
from tests.invariants.example_requests import make_request_for, of_required_fields
from tests.invariants.full_business import known_to, make_full_business
from tests.support import databases
from tests.support.app import App, make_app

from haulier.app import registry
from haulier.background import QUEUES, make_worker
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Effect

READS = [operation for operation in registry() if operation.effect is Effect.READ]
NOT_COMPARED = {
    "get_operation_events": "of steps of one moment, as the clock of tests has them, chance tells the order",
    "get_own_provider_key": "the business has no key of its own to ask with",
    "get_webhook_delivery_log": "which delivery is the newest is a race",
    "get_webhook_delivery_logs": "how often each was tried is a race, and how long it took",
    "list_signing_certificates": "signatures are made by chance",
}
MADE_BY_CHANCE = {"content", "cursor", "document", "event_id", "message_id", "next_cursor", "sequence", "sha256", "tag"}
"""Members that differ from run to run, as do the drawings and papers in which a number stands."""
DRAWN = {"labels", "size_bytes"}
CODES_MADE_BY_CHANCE = {".reservations.code"}
RACED = {".geocoding.done", ".geocoding.not_found", ".geocoding.state"}
"""Progress of a geocoding: of two of one dataset, jobs of the same moment, either may find a record first."""
NUMBERED = re.compile(r"(?:^|_)ids?$")
NAMES = re.compile(r"\bH[A-Z0-9]{13,}\b|[0-9a-f]{16,}|[\w-]{24,}|(?<=:)\d+$")
"""Numbers of parcels and papers, hashes, tokens, and records named by their kind and number."""


@pytest.fixture
def seeded(monkeypatch: pytest.MonkeyPatch) -> Random:
    """Replace randomness, so that both days draw the same values."""
    drawn = Random(7)
    monkeypatch.setattr(os, "urandom", drawn.randbytes)
    monkeypatch.setattr(random, "_urandom", drawn.randbytes)
    return drawn


@pytest.fixture
def _jobs_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run due jobs one after another, so that both days work in the same order."""

    async def work_off_in_turn(app: App) -> int:
        total = 0
        while done := sum([await make_worker(app.application, queues={queue: 1}).run_due() for queue in QUEUES]):
            total += done
        return total

    monkeypatch.setattr(App, "work_off", work_off_in_turn)


def told(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Return the values of a response with their paths, without random values.

    The order of lists is ignored.
    """
    name = path.rpartition(".")[2]
    if name in MADE_BY_CHANCE | DRAWN or NUMBERED.search(name) or path in CODES_MADE_BY_CHANCE | RACED:
        return
    if isinstance(value, dict):
        for member, part in value.items():
            yield from told(part, f"{path}.{member}")
    elif isinstance(value, list):
        yield f"{path}[]", str(len(value))
        for part in value:
            yield from told(part, path)
    else:
        yield path, NAMES.sub("…", str(value))


async def answers(app: App) -> dict[str, Counter[tuple[str, str]]]:
    """Return the response of every read after a day, with all and with few arguments."""
    known, said = await make_full_business(app), dict[str, Counter[tuple[str, str]]]()
    for operation in READS:
        if operation.name in NOT_COMPARED:
            continue
        for which, asked in requests(operation, known).items():
            outcome = await app.call(actor(operation, AS), operation.name, asked)
            answer = msgspec.to_builtins(outcome.error or outcome.answer, str_keys=True)
            said[f"{operation.name}, {which}"] = Counter(told(answer))
    return said


def requests(operation: Operation[Any, Any], known: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Two requests of an operation."""
    full = make_request_for(operation, known_to(operation, known))
    return {"full": full, "needed": of_required_fields(operation, full)}


@pytest.mark.usefixtures("_jobs_in_turn")
async def test_every_read_is_identical_after_a_day(tmp_path: Path, seeded: Random) -> None:
    if {*databases.CHOSEN} != {"sqlite", "postgres"}:
        pytest.skip("one database alone has nothing to be compared with")
    said = []
    for url in (databases.migrated_file(tmp_path), databases.cluster().url()):
        seeded.seed(7)
        async with make_app(url) as app:
            said.append(await answers(app))
    databases.cluster().sweep()
    sqlite, postgres = said
    differ = {
        read: {"sqlite": dict(sqlite[read] - postgres[read]), "postgres": dict(postgres[read] - sqlite[read])}
        for read in sqlite
        if sqlite[read] != postgres[read]
    }
    assert len(sqlite) > 400
    assert differ == {}
