"""The history of actions on an order."""

from typing import Any

import pytest
from tests.contexts.control_tower.approvals.makers import code, create_order_as, make_proposal
from tests.support.app import App


async def timeline(app: App, order_id: int, who: str = "employee") -> Any:
    return await app.answer(who, "get_order_audit_timeline", {"order_id": order_id})


async def test_anonymous_foreign_and_unauthorized_callers_are_refused(app: App) -> None:
    asked = {"order_id": await create_order_as(app)}
    assert code(await app.call(None, "get_order_audit_timeline", asked)) == (401, "UNAUTHENTICATED")
    assert code(await app.call("rival", "get_order_audit_timeline", asked)) == (404, "NOT_FOUND")
    assert code(await app.call("customer", "get_order_audit_timeline", asked)) == (403, "ACCOUNT_NOT_ALLOWED")


async def test_the_timeline_lists_actions_in_order_with_names_interfaces_and_requests(app: App) -> None:
    order_id = await create_order_as(app, order_ref="A-1")
    await app.rest("admin", "PUT", f"/v1/orders/{order_id}/note", {"note": "ring twice"})
    approval = await make_proposal(app, arguments={"order_id": order_id, "reason": "wet"})
    await app.answer("admin", "approve_pending_write", {"approval_id": approval.id})
    told = await timeline(app, order_id)
    assert told.order_ref == "A-1"
    assert [(deed.operation, deed.user_name, deed.door) for deed in told.entries] == [
        ("create_order", "Admin", "rest"),
        ("update_order_note", "Admin", "rest"),
        ("hold_order", "Employee", "approval"),
    ]
    assert told.entries[1].request == {"order_id": order_id, "note": "ring twice"}


async def test_refused_calls_and_dry_runs_leave_no_entry(app: App) -> None:
    order_id = await create_order_as(app)
    await app.call("admin", "hold_order", {"order_id": order_id}, dry_run=True)
    await app.call("admin", "release_order", {"order_id": order_id})
    assert [deed.operation for deed in (await timeline(app, order_id)).entries] == ["create_order"]


@pytest.mark.parametrize("changes", [1, 5])
async def test_a_timeline_of_any_length_uses_a_constant_number_of_statements(app: App, changes: int) -> None:
    order_id = await create_order_as(app)
    for n in range(changes):
        await app.answer("admin", "update_order_note", {"order_id": order_id, "note": str(n)})
    before = app.statements
    assert len((await timeline(app, order_id)).entries) == changes + 1
    assert app.statements - before == 4
