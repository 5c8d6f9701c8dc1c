"""Many waiting writes are reviewed at once, each by itself."""

from typing import Any

from tests.contexts.control_tower.approvals.makers import code, create_order_as, make_proposal, status_of
from tests.support.app import App


async def some_holds(app: App, count: int = 3) -> tuple[list[int], list[Any]]:
    """New orders, and the proposals to hold each of them."""
    orders = [await create_order_as(app) for _ in range(count)]
    return orders, [await make_proposal(app, arguments={"order_id": order_id}) for order_id in orders]


async def test_approvable_writes_run_and_the_others_stay_pending(app: App) -> None:
    orders, proposals = await some_holds(app)
    own = await make_proposal(app, "admin")
    await app.answer("admin", "cancel_order", {"order_id": orders[1]})
    ids = [*(each.id for each in proposals), own.id, 999_999]
    answer = await app.answer("admin", "approve_pending_writes", {"approval_ids": [*ids, ids[0]]})
    assert [await status_of(app, order_id) for order_id in orders] == ["HOLD", "CANCELLED", "HOLD"]
    assert [(each.approval_id, each.status) for each in answer.approvals] == [
        (ids[0], "executed"),
        (ids[2], "executed"),
    ]
    assert [(each.approval_id, each.code) for each in answer.errors] == [
        (ids[1], "ORDER_STEP_REFUSED"),
        (ids[3], "APPROVAL_OWN"),
        (ids[4], "NOT_FOUND"),
    ]
    assert (answer.result, answer.reviewed, answer.skipped) == (True, 2, 3)
    waiting = await app.answer("admin", "list_pending_approvals")
    assert sorted(each.id for each in waiting.approvals) == [ids[1], ids[3]]


async def test_a_dry_run_previews_all_and_runs_none(app: App) -> None:
    orders, proposals = await some_holds(app)
    ids = [each.id for each in proposals]
    outcome = await app.call("admin", "approve_pending_writes", {"approval_ids": ids}, dry_run=True)
    assert outcome.answer.reviewed == len(ids)
    assert {change.id for change in outcome.changes if change.record == "delivery_order"} == set(orders)
    assert [await status_of(app, order_id) for order_id in orders] == ["NEW_ORDER"] * len(orders)


async def test_a_preview_that_changed_since_review_is_not_approved(app: App) -> None:
    _, proposals = await some_holds(app, 2)
    ids, tags = [each.id for each in proposals], [proposals[0].preview.tag, "0000000000000000"]
    answer = await app.answer("admin", "approve_pending_writes", {"approval_ids": ids, "preview_tags": tags})
    assert [each.approval_id for each in answer.approvals] == ids[:1]
    assert [each.code for each in answer.errors] == ["APPROVAL_PREVIEW_CHANGED"]
    refused = await app.call("admin", "approve_pending_writes", {"approval_ids": ids, "preview_tags": tags[:1]})
    assert code(refused) == (422, "INVALID_REQUEST")


async def test_several_writes_can_be_rejected_together(app: App) -> None:
    orders, proposals = await some_holds(app)
    ids = [each.id for each in proposals]
    answer = await app.answer("admin", "reject_pending_writes", {"approval_ids": ids, "reason": "Not today."})
    assert {each.status for each in answer.approvals} == {"rejected"}
    assert [await status_of(app, order_id) for order_id in orders] == ["NEW_ORDER"] * len(orders)
    again = await app.answer("admin", "reject_pending_writes", {"approval_ids": ids})
    assert (again.result, {each.code for each in again.errors}) == (False, {"APPROVAL_DECIDED"})
