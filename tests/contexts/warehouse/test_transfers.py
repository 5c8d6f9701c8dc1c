"""Transfers of packages between warehouses, and their return."""

import asyncio
from collections import Counter
from typing import Any

import pytest
from tests.contexts.orders.examples import ADDRESS
from tests.contexts.warehouse.makers import make_warehouse
from tests.support.app import App

from haulier.contexts.warehouse.transfers import actions


async def two_warehouses(app: App) -> tuple[int, int]:
    return await make_warehouse(app), await make_warehouse(app, "YUL")


async def make_transfer(app: App, here: int, there: int, *numbers: str) -> int:
    batch = {"from_warehouse_id": here, "to_warehouse_id": there, "reason": "wrong city", "numbers": numbers}
    return (await app.answer("admin", "create_transfer", batch)).transfer.id


async def do(app: App, step: str, transfer_id: int, **words: Any) -> Any:
    return (await app.answer("admin", step, {"transfer_id": transfer_id, **words})).transfer


async def refusal(app: App, step: str, transfer_id: int, **words: Any) -> str:
    answer = await app.call("admin", step, {"transfer_id": transfer_id, **words})
    assert answer.error, step
    return answer.error["code"]


async def places(app: App, *numbers: str) -> list[int | None]:
    return [(await app.answer("admin", "get_package", {"number": each})).package.warehouse_id for each in numbers]


async def test_packages_are_sent_and_received_and_the_last_one_completes_the_batch(app: App) -> None:
    here, there = await two_warehouses(app)
    id = await make_transfer(app, here, there, "box-1")
    await do(app, "scan_transfer_out", id, numbers=["BOX-1", "BOX-2", "BOX-3"])
    assert await places(app, "BOX-1", "box-2") == [here, here]
    sent = await do(app, "dispatch_transfer", id)
    assert (sent.status, sent.packages, sent.out) == ("in_transit", 3, 3)
    assert await places(app, "BOX-1") == [None]
    await do(app, "scan_transfer_in", id, numbers=["BOX-1", "BOX-2"])
    again = await do(app, "scan_transfer_in", id, numbers=["BOX-1", "BOX-2"])
    assert (again.status, again.arrived) == ("in_transit", 2)
    assert (await do(app, "scan_transfer_in", id, numbers=["BOX-3"])).status == "received"
    assert (await do(app, "complete_transfer", id)).allowed_actions == ["roll_back"]
    assert await places(app, "BOX-1", "BOX-2", "BOX-3") == [there] * 3
    answer = await app.answer("admin", "get_transfer", {"transfer_id": id})
    assert [step.step for step in answer.steps] == ["create", "dispatch", "receive", "complete"]
    moves = (await app.answer("admin", "get_package", {"number": "BOX-1"})).moves
    assert [(move.kind, move.from_warehouse_id, move.to_warehouse_id) for move in moves] == [
        ("arrived", None, here),
        ("sent", here, None),
        ("arrived", None, there),
    ]


async def test_missing_extra_and_damaged_packages_are_reported(app: App) -> None:
    here, there = await two_warehouses(app)
    id = await make_transfer(app, here, there, "BOX-1", "BOX-2", "BOX-3")
    await do(app, "dispatch_transfer", id)
    await do(app, "scan_transfer_in", id, numbers=["BOX-1", "BOX-9"])
    await do(app, "report_transfer_discrepancy", id, kind="damaged", numbers=["BOX-1"], reason="wet")
    told = await do(app, "report_transfer_discrepancy", id, kind="missing", numbers=["BOX-2", "BOX-3"])
    assert (told.status, told.arrived, told.missing, told.extra, told.damaged) == ("received", 2, 2, 1, 1)
    listed = await app.answer("admin", "list_transfer_packages", {"transfer_id": id, "damaged": True})
    assert [(package.number, package.reason) for package in listed.packages] == [("BOX-1", "wet")]
    found = await do(app, "scan_transfer_in", id, numbers=["BOX-2"])
    assert (found.missing, found.arrived) == (1, 3)
    assert (
        await refusal(app, "report_transfer_discrepancy", id, kind="missing", numbers=["BOX-1"])
        == "PACKAGE_NOT_IN_TRANSFER"
    )
    await do(app, "complete_transfer", id)
    other = await make_transfer(app, here, there, "BOX-3")
    assert (await app.answer("admin", "list_packages", {"transfer_id": other})).packages[0].number == "BOX-3"


async def test_a_rollback_restores_every_package_and_records_user_and_reason(app: App) -> None:
    here, there = await two_warehouses(app)
    id = await make_transfer(app, here, there, "BOX-1", "BOX-2")
    await make_transfer(app, there, here, "BOX-9")
    (draft,) = [
        each.id for each in (await app.answer("admin", "list_transfers", {"from_warehouse_id": there})).transfers
    ]
    await do(app, "cancel_transfer", draft)
    await do(app, "dispatch_transfer", id)
    await do(app, "scan_transfer_in", id, numbers=["BOX-1", "BOX-9"])
    undone = await do(app, "roll_back_transfer", id, reason="wrong truck")
    assert (undone.status, undone.allowed_actions) == ("rolled_back", [])
    assert await places(app, "BOX-1", "BOX-2", "BOX-9") == [here, here, there]
    last = (await app.answer("admin", "get_package", {"number": "BOX-1"})).moves[-1]
    assert (last.kind, last.from_warehouse_id, last.to_warehouse_id, last.reason, last.user_id) == (
        "rolled_back",
        there,
        here,
        "wrong truck",
        app.ids["admin"],
    )
    steps = (await app.answer("admin", "get_transfer", {"transfer_id": id})).steps
    assert (steps[-1].step, steps[-1].reason, steps[-1].user_id) == ("roll_back", "wrong truck", app.ids["admin"])
    assert await make_transfer(app, here, there, "BOX-1", "BOX-2")


async def test_a_rollback_is_refused_once_a_package_has_moved_on(app: App) -> None:
    here, there = await two_warehouses(app)
    id = await make_transfer(app, here, there, "BOX-1", "BOX-2")
    await do(app, "dispatch_transfer", id)
    await do(app, "scan_transfer_in", id, numbers=["BOX-1", "BOX-2"])
    onward = await make_transfer(app, there, here, "BOX-2")
    assert await refusal(app, "roll_back_transfer", id, reason="x") == "PACKAGE_MOVED_ON"
    await do(app, "dispatch_transfer", onward)
    assert await refusal(app, "roll_back_transfer", id, reason="x") == "PACKAGE_MOVED_ON"
    assert await places(app, "BOX-1", "BOX-2") == [there, None]
    await do(app, "roll_back_transfer", onward, reason="stays")
    assert await refusal(app, "roll_back_transfer", id, reason="x") == "PACKAGE_MOVED_ON"
    assert (await app.answer("admin", "get_transfer", {"transfer_id": id})).transfer.status == "received"


async def test_actions_not_allowed_in_a_state_are_refused(app: App) -> None:
    here, there = await two_warehouses(app)
    draft = await make_transfer(app, here, there)
    assert await refusal(app, "dispatch_transfer", draft) == "TRANSFER_EMPTY"
    assert await refusal(app, "scan_transfer_in", draft, numbers=["BOX-1"]) == "TRANSFER_STEP_REFUSED"
    assert await refusal(app, "roll_back_transfer", draft, reason="x") == "TRANSFER_STEP_REFUSED"
    await do(app, "scan_transfer_out", draft, numbers=["BOX-1", "BOX-2"])
    assert (await do(app, "remove_transfer_packages", draft, numbers=["BOX-2"])).packages == 1
    assert await refusal(app, "remove_transfer_packages", draft, numbers=["BOX-2"]) == "PACKAGE_NOT_IN_TRANSFER"
    assert await make_transfer(app, here, there, "BOX-2")
    await do(app, "dispatch_transfer", draft)
    for step in ("cancel_transfer", "complete_transfer", "dispatch_transfer"):
        assert await refusal(app, step, draft) == "TRANSFER_STEP_REFUSED", step
    same = {"from_warehouse_id": here, "to_warehouse_id": here}
    answer = await app.call("admin", "create_transfer", same)
    assert (answer.status, answer.error and answer.error["errors"][0]["field"]) == (422, "to_warehouse_id")


async def test_a_batch_has_a_maximum_number_of_packages(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "TRANSFER_PACKAGES_MAX", 2)
    id = await make_transfer(app, *await two_warehouses(app), "BOX-1")
    assert await refusal(app, "scan_transfer_out", id, numbers=["BOX-2", "BOX-3"]) == "TRANSFER_FULL"
    assert (await do(app, "scan_transfer_out", id, numbers=["BOX-1", "BOX-2"])).packages == 2


async def test_of_concurrent_batches_that_scan_a_package_one_gets_it(app: App) -> None:
    here, there = await two_warehouses(app)
    ids = [await make_transfer(app, here, there) for _ in range(6)]
    numbers = ["BOX-1", "BOX-2"]
    answers = await asyncio.gather(
        *(
            app.call("admin", "scan_transfer_out", {"transfer_id": id, "numbers": numbers[:: 1 if id % 2 else -1]})
            for id in ids
        )
    )
    assert Counter(answer.status for answer in answers) == {200: 1, 409: 5}
    held = [package.transfer_id for package in (await app.answer("admin", "list_packages")).packages]
    assert len(held) == 2
    assert len({*held}) == 1
    counts = [(await app.answer("admin", "get_transfer", {"transfer_id": id})).transfer.packages for id in ids]
    assert Counter(counts) == {2: 1, 0: 5}


async def test_of_a_concurrent_rollback_and_onward_batch_one_wins(app: App) -> None:
    here, there = await two_warehouses(app)
    for n in range(4):
        id = await make_transfer(app, here, there, f"BOX-{n}")
        await do(app, "dispatch_transfer", id)
        await do(app, "scan_transfer_in", id, numbers=[f"BOX-{n}"])
        onward = await make_transfer(app, there, here)
        undone, scanned = await asyncio.gather(
            app.call("admin", "roll_back_transfer", {"transfer_id": id, "reason": "x"}),
            app.call("admin", "scan_transfer_out", {"transfer_id": onward, "numbers": [f"BOX-{n}"]}),
        )
        package = (await app.answer("admin", "get_package", {"number": f"BOX-{n}"})).package
        assert scanned.status == 200
        assert (package.warehouse_id, package.transfer_id) == (there, onward)
        assert undone.status in (200, 409)


async def test_recipients_see_the_departure_and_arrival_of_a_package(app: App) -> None:
    here, there = await two_warehouses(app)
    order = (await app.answer("admin", "create_order", {"consignee": ADDRESS})).order
    id = await make_transfer(app, here, there, order.tracking_number.lower())
    await do(app, "dispatch_transfer", id)
    app.clock.forward(hours=2)
    await do(app, "scan_transfer_in", id, numbers=[order.tracking_number])
    timeline = (await app.answer("admin", "otep_timeline", {"tracking_number": order.tracking_number})).data
    told = [(event.status_code, event.phase, event.location.name) for event in timeline.events[-3:]]
    assert told == [
        ("arrival_scan", "inbound", "YYZ"),
        ("package_outbound", "transit", "YYZ"),
        ("arrival_scan", "inbound", "YUL"),
    ]
    assert (await app.answer("admin", "get_package", {"number": order.tracking_number})).package.order_id == order.id


async def test_statement_count_does_not_grow_with_packages(app: App) -> None:
    here, there = await two_warehouses(app)
    counted = []
    for count in (2, 40):
        numbers = [f"BOX-{count}-{n}" for n in range(count)]
        id = await make_transfer(app, here, there)
        before = app.statements
        await do(app, "scan_transfer_out", id, numbers=numbers)
        await do(app, "dispatch_transfer", id)
        await do(app, "scan_transfer_in", id, numbers=numbers)
        await do(app, "roll_back_transfer", id, reason="x")
        await app.answer("admin", "list_transfers")
        counted.append(app.statements - before)
    assert counted[0] == counted[1]
