"""Reviewing a proposal: executed once as shown, as its proposer, or never."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import select
from tests.contexts.control_tower.approvals.makers import (
    code,
    create_order_as,
    make_proposal,
    make_token,
    read_all_rows,
    status_of,
)
from tests.support.app import App

from haulier.kernel.operations.enums import Risk
from haulier.kernel.pipeline.audit import audit_entries


async def approve(app: App, who: str, id: int, **words: Any) -> Any:
    return await app.call(who, "approve_pending_write", {"approval_id": id, **words})


async def reject(app: App, who: str, id: int, **words: Any) -> Any:
    return await app.call(who, "reject_pending_write", {"approval_id": id, **words})


async def audited(app: App) -> list[tuple[str, int, str]]:
    async with app.database.read(None) as work:
        found = await work.all(select(audit_entries).order_by(audit_entries.c.id))
    return [(row.operation, row.user_id, row.door) for row in found]


class TestApproving:
    async def test_the_write_runs_as_its_proposer_and_both_users_are_recorded(self, app: App) -> None:
        order_id = await create_order_as(app)
        approval = await make_proposal(app, arguments={"order_id": order_id, "reason": "wet"})
        answer = (await approve(app, "admin", approval.id, note="fine")).answer
        assert await status_of(app, order_id) == "HOLD"
        assert (answer.approval.status, answer.approval.reviewed_by) == ("executed", app.ids["admin"])
        assert (answer.approval.review_note, answer.approval.answer["order"]["status"]) == ("fine", "HOLD")
        assert (await audited(app))[-3:] == [
            ("propose_write", app.ids["employee"], "rest"),
            ("hold_order", app.ids["employee"], "approval"),
            ("approve_pending_write", app.ids["admin"], "rest"),
        ]

    async def test_the_executed_write_matches_its_preview(self, app: App) -> None:
        there = {"name": "Zoë", "address": "1 King St", "city": "Toronto", "country": "CA", "lat": 43.6, "lng": -79.3}
        orders = [{"consignee": there, "order_ref": f"B-{n}", "note": "ﬁ \u2028 ✓"} for n in range(3)]
        approval = await make_proposal(app, tool="bulk_create_orders", arguments={"orders": orders})
        assert approval.arguments == {"orders": orders}
        answer = (await approve(app, "admin", approval.id)).answer
        assert answer.approval.arguments == {"orders": orders}
        found = await app.answer("admin", "get_orders", {})
        assert {order.order_ref for order in found.orders} == {"B-0", "B-1", "B-2"}

    async def test_concurrent_reviewers_run_the_write_once(self, app: App) -> None:
        there = {"name": "A", "address": "1 King St", "city": "Toronto", "country": "CA", "lat": 43.6, "lng": -79.3}
        approval = await make_proposal(app, tool="create_order", arguments={"consignee": there})
        outcomes = await asyncio.gather(*(approve(app, "admin", approval.id) for _ in range(8)))
        refused = [code(outcome) for outcome in outcomes if outcome.error]
        assert refused == [(409, "APPROVAL_DECIDED")] * 7
        assert (await app.answer("admin", "get_orders", {})).total == 1

    async def test_concurrent_approval_and_rejection_have_one_outcome(self, app: App) -> None:
        order_id = await create_order_as(app)
        approval = await make_proposal(app, arguments={"order_id": order_id})
        both = await asyncio.gather(approve(app, "admin", approval.id), reject(app, "admin", approval.id))
        (winner,) = [outcome.answer for outcome in both if outcome.error is None]
        held = await status_of(app, order_id) == "HOLD"
        assert held == (winner.approval.status == "executed")

    async def test_a_failing_write_stays_pending_and_leaves_no_trace(self, app: App) -> None:
        order_id = await create_order_as(app)
        approval = await make_proposal(app, arguments={"order_id": order_id})
        await app.answer("admin", "cancel_order", {"order_id": order_id})
        before = await read_all_rows(app, but=set())
        assert code(await approve(app, "admin", approval.id))[1] == "ORDER_STEP_REFUSED"
        assert await read_all_rows(app, but=set()) == before

    async def test_a_dry_run_of_the_approval_previews_the_current_effect(self, app: App) -> None:
        order_id = await create_order_as(app)
        approval = await make_proposal(app, arguments={"order_id": order_id})
        before = await read_all_rows(app, but=set())
        outcome = await app.call("admin", "approve_pending_write", {"approval_id": approval.id}, dry_run=True)
        assert {change.record for change in outcome.changes} > {"delivery_order", "pending_write"}
        assert await read_all_rows(app, but=set()) == before


class TestReviewers:
    async def test_anonymous_unauthorized_and_foreign_callers_are_refused(self, app: App) -> None:
        approval = await make_proposal(app)
        for verb in (approve, reject):
            assert code(await verb(app, None, approval.id)) == (401, "UNAUTHENTICATED")
            assert code(await verb(app, "contractor", approval.id)) == (403, "ACCOUNT_NOT_ALLOWED")
            assert code(await verb(app, "rival", approval.id)) == (404, "NOT_FOUND")
        assert (await app.answer("rival", "list_pending_approvals")).total == 0

    async def test_a_reviewer_needs_the_scopes_of_the_write(self, app: App) -> None:
        approval = await make_proposal(app)
        await make_token(app, "admin", "narrow", scopes=["approvals:write", "routes:write"])
        for verb in (approve, reject):
            assert code(await verb(app, "narrow", approval.id)) == (403, "SCOPE_MISSING")
        await make_token(app, "admin", "broad", scopes=["approvals:write", "orders:write"])
        assert code(await approve(app, "broad", approval.id)) == (200, None)

    async def test_users_cannot_approve_their_own_writes(self, app: App) -> None:
        approval = await make_proposal(app, "admin")
        await make_token(app, "admin", "second", profile="full")
        for who in ("admin", "second"):
            assert code(await approve(app, who, approval.id)) == (403, "APPROVAL_OWN")

    async def test_self_approval_is_possible_with_another_token_if_the_client_allows_it(self, app: App) -> None:
        await app.answer("admin", "set_approval_policy", {"own_allowed": True})
        await make_token(app, "admin", "agent", profile="ops-write")
        approval = await make_proposal(app, "agent", arguments={"order_id": await create_order_as(app)})
        assert code(await approve(app, "agent", approval.id)) == (403, "APPROVAL_OWN")
        assert code(await approve(app, "admin", approval.id)) == (200, None)

    async def test_only_an_admin_sets_the_policy(self, app: App) -> None:
        assert code(await app.call("employee", "set_approval_policy", {"own_allowed": True})) == (
            403,
            "ACCOUNT_NOT_ALLOWED",
        )
        assert (await app.answer("employee", "get_approval_policy")).own_allowed is False

    async def test_the_policy_applies_only_to_its_client(self, app: App) -> None:
        for hours in (5, 9):
            await app.answer("admin", "set_approval_policy", {"own_allowed": True, "expires_after_h": hours})
        policy = await app.answer("employee", "get_approval_policy")
        assert (policy.own_allowed, policy.expires_after_h) == (True, 9)
        assert (await app.answer("rival", "get_approval_policy")).own_allowed is False


class TestProposerPermissions:
    async def test_disabling_the_proposer_cancels_the_write(self, app: App) -> None:
        approval = await make_proposal(app)
        await app.answer("admin", "disable_user", {"user_id": app.ids["employee"]})
        assert code(await approve(app, "admin", approval.id)) == (409, "APPROVAL_PROPOSER_MAY_NOT")

    async def test_revoking_the_token_cancels_the_write(self, app: App) -> None:
        await make_token(app, "employee", "agent", profile="ops-write")
        approval = await make_proposal(app, "agent", arguments={"order_id": await create_order_as(app)})
        await app.answer("employee", "revoke_api_token", {"token_id": app.ids["agent"]})
        assert code(await approve(app, "admin", approval.id)) == (409, "APPROVAL_PROPOSER_MAY_NOT")

    async def test_a_customers_write_runs_with_the_customers_permissions_and_language(self, app: App) -> None:
        order_id = await create_order_as(app, "customer")
        outcome = await app.call(
            "customer", "cancel_order", {"order_id": order_id}, approval_from=Risk.HIGH, accept_language="fr"
        )
        answer = (await approve(app, "admin", outcome.answer.approval.id)).answer
        assert answer.approval.answer["message"] == app.application.catalogues.translate("fr", "order_cancelled")
        assert ("cancel_order", app.ids["customer"], "approval") in await audited(app)


class TestRejecting:
    async def test_a_rejected_write_never_runs(self, app: App) -> None:
        order_id = await create_order_as(app)
        approval = await make_proposal(app, arguments={"order_id": order_id})
        answer = (await reject(app, "admin", approval.id, reason="no")).answer
        assert (answer.approval.status, answer.approval.review_note) == ("rejected", "no")
        assert code(await approve(app, "admin", approval.id)) == (409, "APPROVAL_DECIDED")
        assert await status_of(app, order_id) == "NEW_ORDER"

    async def test_the_proposer_can_withdraw_the_write(self, app: App) -> None:
        approval = await make_proposal(app)
        assert code(await reject(app, "employee", approval.id)) == (200, None)


class TestReading:
    async def test_the_list_shows_every_state_and_proposer(self, app: App) -> None:
        made = [await make_proposal(app) for _ in range(3)] + [await make_proposal(app, "admin")]
        await approve(app, "admin", made[0].id)
        await reject(app, "admin", made[1].id)
        listed = await app.answer("admin", "list_pending_approvals")
        assert [each.id for each in listed.approvals] == [made[3].id, made[2].id]
        assert listed.approvals[1].proposed_by_name == "Employee"
        for status, id in (("executed", made[0].id), ("rejected", made[1].id)):
            (one,) = (await app.answer("admin", "list_pending_approvals", {"status": status})).approvals
            assert (one.id, one.status, one.reviewed_by_name) == (id, status, "Admin")
        mine = await app.answer("admin", "list_pending_approvals", {"mine": True})
        assert [each.id for each in mine.approvals] == [made[3].id]

    async def test_users_without_access_cannot_find_the_approval(self, app: App) -> None:
        approval = await make_proposal(app)
        for who in ("customer", "driver", "rival"):
            asked = {"approval_id": approval.id}
            assert code(await app.call(who, "get_pending_approval", asked)) == (404, "NOT_FOUND")

    @pytest.mark.parametrize("count", [2, 6])
    async def test_a_list_of_any_length_uses_a_constant_number_of_statements(self, app: App, count: int) -> None:
        for _ in range(count):
            await make_proposal(app)
        before = app.statements
        assert (await app.answer("admin", "list_pending_approvals")).total == count
        assert app.statements - before == 4


class TestExpiry:
    async def test_an_expired_approval_can_be_neither_approved_nor_rejected(self, app: App) -> None:
        approval = await make_proposal(app)
        app.clock.forward(hours=73)
        assert code(await approve(app, "admin", approval.id)) == (409, "APPROVAL_EXPIRED")
        assert code(await reject(app, "admin", approval.id)) == (409, "APPROVAL_EXPIRED")

    async def test_an_overdue_approval_is_shown_as_expired_even_before_the_job_runs(self, app: App) -> None:
        approval = await make_proposal(app)
        for _ in range(2):
            app.clock.forward(hours=73)
            assert (await app.answer("admin", "list_pending_approvals")).total == 0
            (one,) = (await app.answer("admin", "list_pending_approvals", {"status": "expired"})).approvals
            assert (one.id, one.status) == (approval.id, "expired")
            await app.work_off()
        async with app.database.read(app.clients["demo"]) as work:
            from haulier.contexts.control_tower.approvals import store

            assert (await store.get_pending_write(work, approval.id)).status == "expired"

    async def test_a_decided_approval_does_not_expire(self, app: App) -> None:
        approval = await make_proposal(app)
        await approve(app, "admin", approval.id)
        app.clock.forward(hours=100)
        await app.work_off()
        shown = await app.answer("admin", "get_pending_approval", {"approval_id": approval.id})
        assert shown.approval.status == "executed"

    async def test_the_client_sets_the_expiry_time(self, app: App) -> None:
        await app.answer("admin", "set_approval_policy", {"own_allowed": False, "expires_after_h": 1})
        approval = await make_proposal(app)
        assert (approval.expires_at - approval.proposed_at).total_seconds() == 3600
