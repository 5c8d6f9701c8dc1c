"""Proposing a write: previewed and stored without being executed."""

from typing import Any

from tests.contexts.control_tower.approvals.makers import (
    THERE,
    code,
    create_order_as,
    make_proposal,
    make_token,
    read_all_rows,
    status_of,
)
from tests.support.app import START, App
from tests.support.every_case import for_every

from haulier.kernel.operations.enums import Risk

HUMAN = {"x-mcp-require-approval": "1"}


class TestProposers:
    async def test_proposing_requires_a_token(self, app: App) -> None:
        assert code(await app.call(None, "propose_write", {"tool": "hold_order"})) == (401, "UNAUTHENTICATED")

    async def test_users_propose_only_writes_they_are_allowed_to_make(self, app: App) -> None:
        order_id = await create_order_as(app)
        for name, scopes in (("looker", ["approvals:read"]), ("writer", ["orders:write"])):
            await make_token(app, "employee", name, scopes=scopes)
            asked = {"tool": "hold_order", "arguments": {"order_id": order_id}}
            assert code(await app.call(name, "propose_write", asked)) == (403, "SCOPE_MISSING")

    async def test_another_clients_order_is_not_found(self, app: App) -> None:
        asked = {"tool": "hold_order", "arguments": {"order_id": await create_order_as(app)}}
        assert code(await app.call("rival", "propose_write", asked)) == (404, "NOT_FOUND")


class TestProposableWrites:
    @for_every(
        ("tool", "expected"),
        [
            ("no_such_tool", (404, "UNKNOWN_OPERATION")),
            ("get_orders", (422, "APPROVAL_NOT_A_WRITE")),
            ("login", (403, "APPROVAL_CANNOT_WAIT")),
            ("set_user_password", (403, "APPROVAL_CANNOT_WAIT")),
            ("issue_api_token", (403, "APPROVAL_CANNOT_WAIT")),
            ("approve_pending_write", (403, "APPROVAL_CANNOT_WAIT")),
            ("set_approval_policy", (403, "APPROVAL_CANNOT_WAIT")),
        ],
    )
    async def test_only_writes_without_secrets_or_approvals_can_be_proposed(
        self, app: App, tool: str, expected: tuple[int, str]
    ) -> None:
        assert code(await app.call("admin", "propose_write", {"tool": tool})) == expected

    async def test_every_validation_error_of_the_arguments_names_its_field(self, app: App) -> None:
        asked = {"tool": "hold_order", "arguments": {"order_id": "x", "colour": 1}}
        outcome = await app.call("employee", "propose_write", asked)
        assert {fault["field"] for fault in outcome.error["errors"]} == {"arguments.order_id", "arguments.colour"}

    async def test_a_write_that_would_be_refused_is_refused_when_proposed(self, app: App) -> None:
        order_id = await create_order_as(app)
        await app.answer("admin", "cancel_order", {"order_id": order_id})
        asked = {"tool": "hold_order", "arguments": {"order_id": order_id}}
        assert code(await app.call("employee", "propose_write", asked))[1] == "ORDER_STEP_REFUSED"
        assert (await app.answer("admin", "list_pending_approvals")).total == 0

    async def test_the_confirmation_is_given_by_the_reviewer_and_not_stored(self, app: App) -> None:
        order_id = await create_order_as(app)
        approval = await make_proposal(app, arguments={"order_id": order_id, "confirm": True})
        assert approval.arguments == {"order_id": order_id}


class TestPreview:
    async def test_it_shows_the_response_emails_and_changed_records_without_changing_anything(self, app: App) -> None:
        order_id = await create_order_as(app)
        before = await read_all_rows(app)
        approval = await make_proposal(app, arguments={"order_id": order_id, "reason": "paint is wet"}, note="please")
        assert await read_all_rows(app) == before
        assert approval.preview.answer["order"]["status"] == "HOLD"
        (change,) = [c for c in approval.preview.changes if c["record"] == "delivery_order"]
        assert change["id"] == order_id
        assert (change["before"]["status"], change["after"]["status"]) == ("NEW_ORDER", "HOLD")
        assert {change["record"] for change in approval.preview.changes} > {"delivery_order"}
        assert (approval.status, approval.note, approval.proposed_by) == ("pending", "please", app.ids["employee"])
        assert approval.expires_at > START
        assert await status_of(app, order_id) == "NEW_ORDER"

    async def test_it_lists_deferred_jobs_without_running_them(self, app: App) -> None:
        orders = [{"consignee": THERE, "order_ref": "LATER"}]
        approval = await make_proposal(app, "admin", "bulk_create_orders_async", arguments={"orders": orders})
        assert "orders.batch" in {letter["kind"] for letter in approval.preview.side_effects}
        await app.work_off()
        assert (await app.answer("admin", "get_orders")).total == 0

    async def test_changed_records_are_shown_only_to_desk_users(self, app: App) -> None:
        order_id = await create_order_as(app, "customer")
        outcome = await app.call("customer", "cancel_order", {"order_id": order_id}, approval_from=Risk.HIGH)
        assert outcome.pending_approval
        id = outcome.answer.approval.id
        mine = (await app.answer("customer", "get_pending_approval", {"approval_id": id})).approval
        theirs = (await app.answer("admin", "get_pending_approval", {"approval_id": id})).approval
        assert not mine.preview.changes
        assert theirs.preview.changes


class TestApprovalHeader:
    async def test_a_high_risk_write_is_queued_and_reported_as_pending(self, app: App) -> None:
        order_id = await create_order_as(app)
        answer = await app.rest(
            "employee", "POST", f"/v1/orders/{order_id}/hold", {}, headers={**HUMAN, "Accept-Language": "de"}
        )
        body = answer.json()
        assert (answer.status_code, body["queued"], body["approval"]["operation"]) == (202, True, "hold_order")
        id = body["approval"]["id"]
        assert body["message"] == app.application.catalogues.translate("de", "approval_queued", id=id)
        assert await status_of(app, order_id) == "NEW_ORDER"
        assert body["approval"]["arguments"] == {"order_id": order_id}

    async def test_a_medium_risk_write_runs_immediately(self, app: App) -> None:
        outcome = await app.call(
            "admin", "update_order_note", {"order_id": await create_order_as(app), "note": "x"}, approval_from=Risk.HIGH
        )
        assert (outcome.error, outcome.pending_approval) == (None, False)
        assert (outcome.not_queued, outcome.headers["X-Approval"]) == (True, "not-required")

    async def test_a_write_that_cannot_be_queued_is_refused(self, app: App) -> None:
        asked = {"user_id": app.ids["employee"], "password": "a-long-enough-password"}
        outcome = await app.call("admin", "set_user_password", asked, approval_from=Risk.HIGH)
        assert code(outcome) == (403, "APPROVAL_CANNOT_WAIT")

    async def test_a_connection_that_requires_approval_cannot_approve(self, app: App) -> None:
        approval = await make_proposal(app)
        outcome = await app.call(
            "admin", "approve_pending_write", {"approval_id": approval.id}, approval_from=Risk.HIGH
        )
        assert code(outcome) == (403, "APPROVAL_CANNOT_WAIT")

    async def test_a_dry_run_is_not_queued(self, app: App) -> None:
        order_id = await create_order_as(app)
        outcome = await app.call("admin", "hold_order", {"order_id": order_id}, approval_from=Risk.HIGH, dry_run=True)
        assert (outcome.pending_approval, outcome.side_effects is not None) == (False, True)
        assert (await app.answer("admin", "list_pending_approvals")).total == 0

    async def test_a_repeat_with_the_same_key_is_queued_once(self, app: App) -> None:
        order_id = await create_order_as(app)
        words: dict[str, Any] = {"approval_from": Risk.HIGH, "idempotency_key": "k"}
        first = await app.call("employee", "hold_order", {"order_id": order_id}, **words)
        again = await app.call("employee", "hold_order", {"order_id": order_id}, **words)
        other = await app.call("employee", "cancel_order", {"order_id": order_id}, **words)
        assert (again.replayed, again.pending_approval) == (True, True)
        assert again.answer.approval.id == first.answer.approval.id
        assert code(other) == (422, "IDEMPOTENCY_KEY_REUSED")
        assert (await app.answer("admin", "list_pending_approvals")).total == 1
