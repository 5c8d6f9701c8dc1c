"""No operation shows another client's records, and no dry run leaves a row."""

import re
from typing import Any

import pytest
from tests.invariants.business import AS, MARK, RIVALS, actor, make_business
from tests.invariants.example_requests import make_request_for
from tests.invariants.full_business import (
    MEANT_BY_A_CONTEXT,
    RECORDS,
    empty_tables,
    known_to,
    make_full_business,
)
from tests.support.app import START, App
from tests.support.examples import examples
from tests.support.tables import rows, rows_of

from haulier.app import registry
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import DocumentRequest, Operation
from haulier.kernel.operations.enums import Account, Effect

OPERATIONS = list(registry())
LAST = ("change_password", "delete", "disable", "end", "logout", "revoke", "set_user_password", "sign_out")
"""Operations that end the walk, called last."""
NOT_FILLED: dict[str, str] = {}
"""Tables in which the demo client has no row, each with the reason. The list is exact."""
TOLD_BY_THE_CALLER = {"consignee", "address", "query", "text", "order_refs"}
"""Values that a response repeats from its request, so they are not sent by the rival."""


@pytest.fixture(autouse=True)
async def providers(app: App) -> None:
    """Create a provider with a key for each client."""
    for client, name in (("admin", AS[Account.PROVIDER]), ("rival", RIVALS[Account.PROVIDER])):
        app.tokens[name] = (await app.answer(client, "issue_provider_key", {"name": name})).key


def asked(operation: Operation[Any, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Return a plausible request; documents are about a known parcel."""
    if not issubclass(operation.request, DocumentRequest):
        return make_request_for(operation, known)
    event = {"occurred_at": START.isoformat(), "status_code": "in_transit", "source": {"type": "carrier"}}
    return {"subject": {"tracking_number": known["number"]}, "events": [event]}


async def names_seen(app: App, people: dict[Account, str], known: dict[str, Any]) -> set[str]:
    """Return the operations that show the name to these users in a dry run."""
    seen: set[str] = set()
    for operation in OPERATIONS:
        who = actor(operation, people)
        if operation.public or who is None:
            continue
        outcome = await app.call(who, operation.name, asked(operation, told_to(operation, known)), dry_run=True)
        assert outcome.status < 500, (operation.name, outcome.error)
        if outcome.answer is not None and MARK.encode() in codec.encode_json(outcome.answer):
            seen.add(operation.name)
    return seen


def told_to(operation: Operation[Any, Any], known: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in known_to(operation, known).items() if name not in TOLD_BY_THE_CALLER}


async def test_no_operation_shows_or_changes_another_clients_records(app: App) -> None:
    known = await make_full_business(app)
    assert await empty_tables(app) == NOT_FILLED.keys()
    assert placeholders() - (RECORDS.keys() | known.keys() | {field for _, field in MEANT_BY_A_CONTEXT}) == set()
    before = await rows(app)
    assert len(await names_seen(app, AS, known)) > 60, "the client's own people find little: nothing to look at"
    assert await names_seen(app, RIVALS, known) == set()
    assert await rows(app) == before
    own = await rows_of(app, "demo")
    for operation in sorted(OPERATIONS, key=lambda o: o.name.startswith(LAST)):
        who = actor(operation, RIVALS)
        if operation.effect is Effect.WRITE and not operation.public and who:
            await app.call(who, operation.name, asked(operation, told_to(operation, known)))
    after = await rows_of(app, "demo")
    assert [table for table in own if own[table] != after[table]] == []


def placeholders() -> set[str]:
    """Return every record name that an example needs."""
    return set(re.findall(r"\$(\w+)", repr(dict(examples()))))


async def test_a_dry_run_of_a_write_changes_no_table(app: App) -> None:
    known = await make_business(app)
    assert await first_with_changes(app, known, [o for o in OPERATIONS if o.effect is Effect.WRITE]) is None


async def first_with_changes(app: App, known: dict[str, Any], operations: list[Operation[Any, Any]]) -> str | None:
    """Return the first operation whose dry run changes a table.

    It bisects the list, because few fail and reading all tables is slow.
    """
    before = await rows(app)
    for operation in operations:
        outcome = await app.call(actor(operation, AS), operation.name, asked(operation, known), dry_run=True)
        assert outcome.status < 500, (operation.name, outcome.error)
    if await rows(app) == before:
        return None
    if len(operations) == 1:
        return operations[0].name
    half = len(operations) // 2
    return await first_with_changes(app, known, operations[:half]) or await first_with_changes(
        app, known, operations[half:]
    )


async def test_anonymous_and_unauthorized_callers_are_refused(app: App) -> None:
    let_in: list[tuple[str, str | None, int]] = []
    for operation in OPERATIONS:
        if operation.public:
            continue
        wrong = [None, *(role for account, role in AS.items() if account not in operation.audience)]
        for role in wrong:
            status = (await app.call(role, operation.name)).status
            if status != (403 if role else 401):
                let_in.append((operation.name, role, status))
    assert let_in == []
