"""Orders held by a contractor, over the database."""

import asyncio
from datetime import date
from typing import Any

from sqlalchemy import select
from tests.support.app import App
from tests.support.every_case import for_every
from tests.support.transport import make_order, make_route, order_row, set_order, some_orders, status_and_code

from haulier.contexts.routes.assignments.store import assignments
from haulier.kernel.operations.enums import Module

ASSIGN, REVOKE = "assign_orders_to_broker", "revoke_broker_order_assignments"
RELEASE, LIST = "release_broker_order_assignment", "list_broker_order_assignments"
OPERATIONS = [ASSIGN, REVOKE, RELEASE, LIST]


def asked(app: App, operation: str, *order_ids: int, to: str = "contractor") -> dict[str, Any]:
    """A valid request of each operation."""
    return {
        ASSIGN: {"order_ids": list(order_ids), "broker_id": app.ids[to]},
        REVOKE: {"order_ids": list(order_ids)},
        RELEASE: {"order_id": order_ids[0]},
        LIST: {},
    }[operation]


async def assign(app: App, *order_ids: int, to: str = "contractor", **words: Any) -> Any:
    return await app.answer("admin", ASSIGN, {**asked(app, ASSIGN, *order_ids, to=to), **words})


async def history(app: App, order_id: int) -> list[tuple[int, str, str | None]]:
    found = await app.answer("admin", LIST, {"order_id": order_id})
    return [(each.broker_id, each.status, each.end_reason) for each in found.assignments]


@for_every("operation", OPERATIONS)
async def test_anonymous_callers_are_refused(app: App, operation: str) -> None:
    assert status_and_code(await app.call(None, operation, asked(app, operation, 1))) == (401, "UNAUTHENTICATED")


@for_every(
    ("operation", "refused"),
    [
        (ASSIGN, ["employee", "contractor", "driver", "customer"]),
        (REVOKE, ["employee", "contractor", "driver", "customer"]),
        (RELEASE, ["admin", "employee", "driver", "customer"]),
        (LIST, ["driver", "customer"]),
    ],
)
async def test_unauthorized_accounts_are_refused(app: App, operation: str, refused: list[str]) -> None:
    for who in refused:
        assert status_and_code(await app.call(who, operation, asked(app, operation, 1))) == (403, "ACCOUNT_NOT_ALLOWED")


@for_every("operation", OPERATIONS)
async def test_without_its_tables_the_module_is_unavailable(app: App, operation: str) -> None:
    app.application.modules_missing = frozenset(Module)
    who = "contractor" if operation == RELEASE else "admin"
    assert status_and_code(await app.call(who, operation, asked(app, operation, 1))) == (503, "MODULE_NOT_AVAILABLE")


async def test_another_client_can_neither_see_nor_assign_the_orders(app: App) -> None:
    order_id = await make_order(app)
    await assign(app, order_id)
    assert (await app.answer("rival", LIST)).total == 0
    outcome = await app.answer("rival", ASSIGN, asked(app, ASSIGN, order_id, to="rival_contractor"))
    assert (outcome.result, outcome.assigned, outcome.errors[0].code) == (False, 0, "ORDER_UNKNOWN")
    revoked = await app.answer("rival", REVOKE, {"order_ids": [order_id]})
    assert (revoked.result, revoked.errors[0].code) == (False, "ORDER_UNKNOWN")
    assert await history(app, order_id) == [(app.ids["contractor"], "active", None)]


@for_every("body", [{}, {"order_ids": []}, {"order_ids": [0]}, {"order_ids": ["1"]}])
async def test_a_request_without_orders_is_a_validation_error(app: App, body: dict[str, Any]) -> None:
    assert status_and_code(await app.call("admin", ASSIGN, {"broker_id": 1, **body})) == (422, "INVALID_REQUEST")
    assert status_and_code(await app.call("admin", REVOKE, body)) == (422, "INVALID_REQUEST")


async def test_more_than_a_thousand_orders_are_refused(app: App) -> None:
    body = {"order_ids": list(range(1, 1002)), "broker_id": 1}
    assert status_and_code(await app.call("admin", ASSIGN, body)) == (422, "INVALID_REQUEST")


@for_every("who", ["rival_contractor", "driver", "customer", "admin"])
async def test_orders_can_be_assigned_only_to_a_contractor_of_the_client(app: App, who: str) -> None:
    outcome = await app.call("admin", ASSIGN, asked(app, ASSIGN, await make_order(app), to=who))
    assert status_and_code(outcome) == (422, "INVALID_REQUEST")
    assert outcome.error
    assert outcome.error["errors"][0]["field"] == "broker_id"


async def test_an_assigned_order_is_listed_with_every_field(app: App) -> None:
    order_id = await make_order(app, order_ref="A-1")
    outcome = await assign(app, order_id, order_id, note="ring twice")
    assert (outcome.result, outcome.assigned, outcome.skipped, outcome.errors) == (True, 1, 0, [])
    (record,) = (await app.answer("employee", LIST)).assignments
    assert (record.order_id, record.order_ref, record.order_status_id) == (order_id, "A-1", 1)
    assert (record.scheduled_date, record.route_id, record.status) == (date(2026, 6, 10), None, "active")
    assert (record.broker_id, record.broker_name) == (app.ids["contractor"], "Contractor")
    assert (record.note, record.assigned_by) == ("ring twice", app.ids["admin"])
    assert record.assigned_at.isoformat() == "2026-06-10T10:00:00-04:00"
    assert (record.ended_by, record.ended_at, record.end_reason) == (None, None, None)
    assert (await order_row(app, order_id)).contractor_id == app.ids["contractor"]


async def test_refused_orders_are_reported_and_the_rest_are_assigned(app: App) -> None:
    good, carried, held, foreign, planned = [await make_order(app) for _ in range(5)]
    await set_order(app, carried, fulfilment="carrier")
    await set_order(app, held, status=2)
    await set_order(app, foreign, third_party_held=True)
    await make_route(app, order_ids=[planned])
    outcome = await assign(app, good, carried, held, foreign, planned, 999_999)
    assert (outcome.result, outcome.assigned, outcome.skipped) == (True, 1, 5)
    assert {error.order_id: error.code for error in outcome.errors} == {
        carried: "ORDER_NOT_SELF_DELIVERY",
        held: "ORDER_NOT_ASSIGNABLE",
        foreign: "ORDER_HELD_BY_THIRD_PARTY",
        planned: "ORDER_ON_ROUTE",
        999_999: "ORDER_UNKNOWN",
    }


async def test_reasons_are_in_the_callers_language(app: App) -> None:
    outcome = await app.call("admin", ASSIGN, asked(app, ASSIGN, 999_999), accept_language="de")
    assert outcome.answer
    assert outcome.answer.errors[0].message == "Es gibt keinen Auftrag 999999."


async def test_an_order_can_be_moved_to_another_contractor_in_one_step(app: App) -> None:
    order_id = await make_order(app)
    await assign(app, order_id)
    app.clock.forward(hours=1)
    assert (await assign(app, order_id, to="contractor2")).assigned == 1
    assert await history(app, order_id) == [
        (app.ids["contractor2"], "active", None),
        (app.ids["contractor"], "revoked", "reassigned"),
    ]
    earlier = (await app.answer("admin", LIST, {"order_id": order_id})).assignments[1]
    assert (earlier.ended_by, earlier.ended_at) == (app.ids["admin"], app.clock.now)
    assert (await order_row(app, order_id)).contractor_id == app.ids["contractor2"]


async def test_assigning_an_order_to_its_holder_again_changes_nothing(app: App) -> None:
    order_id = await make_order(app)
    await assign(app, order_id)
    again = await assign(app, order_id)
    assert (again.result, again.skipped, again.errors[0].code) == (False, 1, "ORDER_ALREADY_THEIRS")
    assert len(await history(app, order_id)) == 1


async def test_a_revoked_order_is_unassigned_and_keeps_the_reason(app: App) -> None:
    order_id, free = await make_order(app), await make_order(app)
    await assign(app, order_id)
    outcome = await app.answer("admin", REVOKE, {"order_ids": [order_id, free, order_id], "reason": "too late"})
    assert (outcome.result, outcome.revoked, outcome.skipped) == (True, 1, 1)
    assert outcome.errors[0].code == "ORDER_NOT_ASSIGNED"
    assert await history(app, order_id) == [(app.ids["contractor"], "revoked", "too late")]
    assert (await order_row(app, order_id)).contractor_id is None


async def test_an_order_on_a_route_can_be_neither_revoked_nor_released(app: App) -> None:
    order_id = await make_order(app)
    await assign(app, order_id)
    route_id = await make_route(app, who="contractor", order_ids=[order_id])
    revoked = await app.answer("admin", REVOKE, {"order_ids": [order_id]})
    assert (revoked.result, revoked.errors[0].code) == (False, "ORDER_ON_ROUTE")
    assert status_and_code(await app.call("contractor", RELEASE, {"order_id": order_id})) == (400, "ORDER_ON_ROUTE")
    assert (await app.answer("admin", LIST)).assignments[0].route_id == route_id


async def test_a_contractor_can_release_only_orders_they_hold(app: App) -> None:
    order_id = await make_order(app)
    await assign(app, order_id)
    assert status_and_code(await app.call("contractor2", RELEASE, {"order_id": order_id})) == (
        400,
        "NOT_ASSIGNED_TO_YOU",
    )
    assert status_and_code(await app.call("contractor", RELEASE, {"order_id": 999_999})) == (400, "NOT_ASSIGNED_TO_YOU")
    answer = await app.answer("contractor", RELEASE, {"order_id": order_id, "reason": "van broke"})
    assert (answer.result, answer.message) == (True, f"Order {order_id} was released.")
    assert await history(app, order_id) == [(app.ids["contractor"], "released", "van broke")]
    assert status_and_code(await app.call("contractor", RELEASE, {"order_id": order_id})) == (
        400,
        "NOT_ASSIGNED_TO_YOU",
    )


async def test_a_contractor_lists_only_their_own_orders_with_any_filter(app: App) -> None:
    hers, his = await make_order(app), await make_order(app)
    await assign(app, hers)
    await assign(app, his, to="contractor2")
    found = await app.answer("contractor", LIST, {"broker_id": app.ids["contractor2"]})
    assert [each.order_id for each in found.assignments] == [hers]
    assert (await app.answer("contractor", LIST, {"order_id": his})).total == 0


async def test_the_list_can_be_filtered_and_is_paged_newest_first(app: App) -> None:
    ids = await some_orders(app, 5)
    await assign(app, *ids)
    await app.answer("admin", REVOKE, {"order_ids": ids[:2]})
    active = await app.answer("admin", LIST, {"status": "active", "per_page": 2, "page": 1})
    assert (active.total, active.page, active.per_page) == (3, 1, 2)
    assert [each.order_id for each in active.assignments] == [ids[4], ids[3]]
    assert [each.order_id for each in (await app.answer("admin", LIST, {"per_page": 3, "page": 2})).assignments] == ids[
        1::-1
    ]
    assert (await app.answer("admin", LIST, {"broker_id": app.ids["contractor2"]})).total == 0


async def test_concurrent_assignments_leave_exactly_one_holder(app: App) -> None:
    order_id = await make_order(app)
    outcomes = await asyncio.gather(
        *(app.call("admin", ASSIGN, asked(app, ASSIGN, order_id, to=to)) for to in ("contractor", "contractor2") * 10)
    )
    assert {outcome.status for outcome in outcomes} == {200}
    assigned = sum(outcome.answer.assigned for outcome in outcomes if outcome.answer)  # type: ignore[attr-defined]
    async with app.database.read(app.clients["demo"]) as work:
        rows = await work.all(select(assignments).where(assignments.c.order_id == order_id))
    assert len(rows) == assigned
    active = [row for row in rows if row.status == "active"]
    assert [row.contractor_id for row in active] == [(await order_row(app, order_id)).contractor_id]


async def test_concurrent_assigning_and_revoking_leave_a_consistent_state(app: App) -> None:
    ids = await some_orders(app, 6)
    calls = [
        (ASSIGN, asked(app, ASSIGN, *ids[::step], to=to)) for to, step in (("contractor", 1), ("contractor2", -1))
    ] * 3
    calls += [(REVOKE, {"order_ids": ids[1:4]})] * 3
    outcomes = await asyncio.gather(*(app.call("admin", name, body) for name, body in calls))
    assert {outcome.status for outcome in outcomes} == {200}
    async with app.database.read(app.clients["demo"]) as work:
        rows = await work.all(select(assignments).where(assignments.c.status == "active"))
    held = {row.order_id: row.contractor_id for row in rows}
    assert len(held) == len(rows)
    assert held == {id: row.contractor_id for id in ids if (row := await order_row(app, id)).contractor_id}


async def test_assigning_orders_uses_a_constant_number_of_statements(app: App) -> None:
    counts: list[int] = []
    for count in (2, 200):
        ids = await some_orders(app, count)
        numbers = await statements_of(app, ASSIGN, asked(app, ASSIGN, *ids))
        numbers += await statements_of(app, REVOKE, {"order_ids": ids})
        counts.append(numbers)
    assert counts[0] == counts[1]


async def statements_of(app: App, operation: str, body: dict[str, Any]) -> int:
    """Return the number of statements of an operation, by its unit of work."""
    handler, seen = app.application.registry[operation].handler, list[int]()

    async def counted(call: Any, request: Any) -> Any:
        answer = await handler(call, request)
        seen.append(call.work.statements)
        return answer

    object.__setattr__(app.application.registry[operation], "handler", counted)
    try:
        await app.answer("admin", operation, body)
    finally:
        object.__setattr__(app.application.registry[operation], "handler", handler)
    return seen[0]
