"""A dry run returns answer, side effects and changes, and leaves nothing behind."""

from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import func, select
from tests.kernel.data.sample_tables import OURS, crates
from tests.support.kernel_app import ADMIN, Greet, Greeting, call_operation, make_app

from haulier.kernel.call import Call, OutboxEntry, call_as
from haulier.kernel.data.unit_of_work import Database, UniqueConflict
from haulier.kernel.operations.declaration import Rest, writes
from haulier.kernel.operations.enums import Account, Scope
from haulier.kernel.operations.errors import NOT_FOUND, OperationError
from haulier.kernel.pipeline import run
from haulier.kernel.pipeline.dry_run import dry_run

sent: list[str] = []


@writes(
    "pack_crates",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.ORDERS_WRITE},
    interfaces=(Rest("POST", "/v1/crates"),),
)
async def pack_crates(call: Call, request: Greet) -> Greeting:
    """Pack crates, and another before the commit."""

    async def add_lid(items: list[Any]) -> None:
        await call.work.insert(crates, name=f"lid {len(items)}")

    await call.work.insert_many(crates, [{"name": f"{request.name}{n}"} for n in range(request.times)])
    call.work.defer_until_commit("lids", request.name, add_lid)
    call.work.after_commit(lambda: sent.append(request.name))
    if request.name == "refuse":
        raise NOT_FOUND()
    return Greeting(words="packed, as a trial" if call.dry_run else "packed")


async def count_crates(stock: Database) -> int:
    async with stock.read(OURS) as work:
        return await work.value(select(func.count()).select_from(crates))


async def test_a_dry_run_shows_all_changes_and_leaves_none_while_the_transaction_continues(stock: Database) -> None:
    sent.clear()
    async with stock.write(OURS) as work:
        call = call_as(make_app(stock), ADMIN, work)
        shown = await dry_run(call, pack_crates, Greet(name="Bo", times=2))
        await work.insert(crates, name="kept")
    assert shown.answer.words == "packed, as a trial"  # type: ignore[attr-defined]
    assert [change.after for change in shown.changes] == [{"name": "Bo0"}, {"name": "Bo1"}, {"name": "lid 1"}]
    assert (await count_crates(stock), sent) == (1, [])


async def test_an_error_of_the_write_is_raised_without_leaving_changes(stock: Database) -> None:
    async with stock.write(OURS) as work:
        call = call_as(make_app(stock), ADMIN, work)
        with pytest.raises(OperationError):
            await dry_run(call, pack_crates, Greet(name="refuse"))
    assert await count_crates(stock) == 0


async def test_items_deferred_before_the_dry_run_are_handled_once(stock: Database) -> None:
    done: list[str] = []

    async def note(items: list[str]) -> None:
        done.extend(items)

    async with stock.write(OURS) as work:
        work.defer_until_commit("note", "first", note)
        await dry_run(call_as(make_app(stock), ADMIN, work), pack_crates, Greet(name="Bo"))
        done.clear()
    assert (done, await count_crates(stock)) == (["first"], 0)


async def test_a_large_dry_run_is_listed_partially(stock: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MAX_LISTED_CHANGES", 3)
    body = '{"name": "Bo", "times": 5}'
    result = await call_operation(make_app(stock), pack_crates, body, token="admin", dry_run=True)
    assert [change.after for change in result.changes or ()] == [{"name": "Bo0"}, {"name": "Bo1"}, {"name": "Bo2"}]
    assert await count_crates(stock) == 0


async def test_a_rolled_back_dry_run_sends_and_audits_nothing(stock: Database) -> None:
    async with stock.write(OURS) as work:
        call = call_as(make_app(stock), ADMIN, work)
        call.add_audit_subjects("note", 1)
        with suppress(UniqueConflict):
            async with call.savepoint():
                call.add_audit_subjects("note", 2)
                call.side_effects.append(OutboxEntry("email", {}))
                raise UniqueConflict("any")
        async with call.savepoint():
            call.add_audit_subjects("note", 3)
    assert (call.audited_records, call.side_effects) == ([("note", 1), ("note", 3)], [])
