"""Approved writes do what their preview showed, or must be reviewed again."""

from typing import Any

import msgspec
import pytest
from tests.contexts.control_tower.approvals.makers import code, create_order_as, make_proposal, read_all_rows, status_of
from tests.invariants.dry_run_day import Known, Step, day, learn, taken
from tests.support.app import App

from haulier.app import registry
from haulier.contexts.control_tower.approvals.rules import can_wait_for_approval
from haulier.contexts.identity import public as access
from haulier.kernel.operations.enums import Account

HASTY = {"accept_offer", "decline_offer"}
"""Offers to riders last for seconds, so responses cannot wait for approval."""


async def test_a_later_approval_does_exactly_what_the_preview_showed(sqlite_app: App) -> None:
    """Only time passes in between, which must not change any preview.

    Time is the same on both databases, on which dry runs are compared elsewhere.
    """
    app = sqlite_app
    await make_second_admin(app)
    known: Known = dict(app.ids)
    for one in day():
        await learn(app, one, known)
        done = await proposed_and_approved(app, one, known)
        if registry()[one.operation].after_commit:  # what waits for the commit, a job does of what was approved
            app.clock.forward(minutes=4)
            await app.work_off()
        known.update({name: taken(done, path) for name, path in one.brings.items()})


async def test_a_proposal_can_be_approved_at_a_later_hour_and_on_a_later_day(app: App) -> None:
    for hours in (1, 30):
        order_id = await create_order_as(app)
        proposal = await make_proposal(
            app, tool="cancel_order", arguments={"order_id": order_id, "reason": "Sold out."}
        )
        app.clock.forward(hours=hours)
        outcome = await app.call("admin", "approve_pending_write", {"approval_id": proposal.id})
        assert outcome.error is None, (hours, outcome.error)
        assert await status_of(app, order_id) == "CANCELLED"


async def make_second_admin(app: App) -> None:
    """A second admin of each client for the whole day: the employee leaves earlier."""
    async with app.database.write(None) as plain:
        work = plain.without_tenant_filter("tests act for every client")
        for name, client in (("second", "demo"), ("rival_second", "rival")):
            words = {"client_id": app.clients[client], "account": Account.CLIENT_ADMIN, "now": app.clock.now}
            id = await access.provision_user(work, email=f"second@{client}.example", name="Second", **words)
            app.tokens[name] = await access.issue_token(work, user_id=id, **words)


async def proposed_and_approved(app: App, one: Step, known: Known) -> Any:
    asked = one.asked(known)
    if one.operation in HASTY or not can_wait_for_approval(registry()[one.operation]):
        return msgspec.to_builtins(await app.answer(one.who, one.operation, asked))
    app.clock.forward(seconds=1)  # a stored moment that equals the preview's own would count as one of the preview
    proposal = await app.answer(one.who, "propose_write", {"tool": one.operation, "arguments": asked})
    app.clock.forward(seconds=45)  # all steps end before the pickup cut-off, which changes promised days
    reviewer = "rival_second" if one.who.startswith("rival") else "second"
    outcome = await app.call(reviewer, "approve_pending_write", {"approval_id": proposal.approval.id})
    assert outcome.error is None, (one.operation, outcome.error)
    return outcome.answer.approval.answer  # type: ignore[union-attr]


async def test_a_change_to_the_affected_records_blocks_the_write_and_leaves_no_trace(app: App) -> None:
    order_id = await create_order_as(app)
    asked = {"order_id": order_id, "note": "ring twice"}
    approval = await make_proposal(app, tool="update_order_note", arguments=asked)
    await app.answer("admin", "update_order_note", {"order_id": order_id, "note": "ring once"})
    before = await read_all_rows(app, but=set())
    outcome = await app.call("admin", "approve_pending_write", {"approval_id": approval.id})
    assert code(outcome) == (409, "APPROVAL_PREVIEW_CHANGED")
    assert await read_all_rows(app, but=set()) == before


async def test_unrelated_changes_do_not_block_the_write(app: App) -> None:
    order_id = await create_order_as(app)
    approval = await make_proposal(app, arguments={"order_id": order_id})
    app.clock.forward(minutes=1)
    await app.answer("admin", "update_order_note", {"order_id": order_id, "note": "ring once"})
    await create_order_as(app)
    app.clock.forward(minutes=1)
    assert code(await app.call("admin", "approve_pending_write", {"approval_id": approval.id})) == (200, None)
    assert await status_of(app, order_id) == "HOLD"


async def test_a_renewed_preview_shows_the_current_effect_and_can_be_approved(app: App) -> None:
    order_id = await create_order_as(app)
    asked = {"order_id": order_id, "note": "ring twice"}
    approval = await make_proposal(app, tool="update_order_note", arguments=asked)
    await app.answer("admin", "update_order_note", {"order_id": order_id, "note": "ring once"})
    renewed = (await app.answer("admin", "renew_pending_write", {"approval_id": approval.id})).approval
    assert [change["before"]["note"] for change in renewed.preview.changes] == ["ring once"]
    assert renewed.preview.tag != approval.preview.tag
    old = {"approval_id": approval.id, "preview_tag": approval.preview.tag}
    assert code(await app.call("admin", "approve_pending_write", old)) == (409, "APPROVAL_PREVIEW_CHANGED")
    new = {"approval_id": approval.id, "preview_tag": renewed.preview.tag}
    assert code(await app.call("admin", "approve_pending_write", new)) == (200, None)


async def test_renewing_changes_only_the_preview(app: App) -> None:
    approval = await make_proposal(app)
    before = await read_all_rows(app)
    await app.answer("employee", "renew_pending_write", {"approval_id": approval.id})
    assert await read_all_rows(app) == before


async def test_a_write_that_would_now_fail_is_refused_and_keeps_its_preview(app: App) -> None:
    order_id = await create_order_as(app)
    approval = await make_proposal(app, arguments={"order_id": order_id})
    await app.answer("admin", "cancel_order", {"order_id": order_id})
    outcome = await app.call("admin", "renew_pending_write", {"approval_id": approval.id})
    assert outcome.error["code"] == "ORDER_STEP_REFUSED"
    kept = (await app.answer("admin", "get_pending_approval", {"approval_id": approval.id})).approval
    assert kept.preview.tag == approval.preview.tag


class TestReconsideration:
    @pytest.mark.parametrize("verb", ["withdraw_pending_write", "renew_pending_write"])
    async def test_anonymous_unauthorized_and_foreign_callers_are_refused(self, app: App, verb: str) -> None:
        approval = await make_proposal(app)
        asked = {"approval_id": approval.id}
        assert code(await app.call(None, verb, asked)) == (401, "UNAUTHENTICATED")
        for who in ("customer", "driver", "rival"):
            assert code(await app.call(who, verb, asked)) == (404, "NOT_FOUND")

    async def test_only_the_proposer_withdraws_and_a_withdrawn_write_never_runs(self, app: App) -> None:
        order_id = await create_order_as(app)
        approval = await make_proposal(app, arguments={"order_id": order_id})
        asked = {"approval_id": approval.id, "reason": "a mistake"}
        assert code(await app.call("admin", "withdraw_pending_write", asked)) == (404, "NOT_FOUND")
        answer = await app.answer("employee", "withdraw_pending_write", asked)
        assert (answer.approval.status, answer.approval.review_note) == ("withdrawn", "a mistake")
        for verb in ("approve_pending_write", "reject_pending_write", "withdraw_pending_write", "renew_pending_write"):
            who = "employee" if verb.startswith("withdraw") else "admin"
            assert code(await app.call(who, verb, {"approval_id": approval.id})) == (409, "APPROVAL_DECIDED")
        assert await status_of(app, order_id) == "NEW_ORDER"

    async def test_an_expired_write_cannot_be_reconsidered(self, app: App) -> None:
        approval = await make_proposal(app)
        app.clock.forward(hours=73)
        for verb in ("withdraw_pending_write", "renew_pending_write"):
            outcome = await app.call("employee", verb, {"approval_id": approval.id})
            assert code(outcome) == (409, "APPROVAL_EXPIRED")

    @pytest.mark.parametrize("who", ["customer", "driver"])
    async def test_users_outside_the_desk_list_and_withdraw_only_their_own(self, app: App, who: str) -> None:
        await make_proposal(app)
        asked = {"tool": "logout", "arguments": {}}
        mine = (await app.answer(who, "propose_write", asked)).approval
        listed = await app.answer(who, "list_pending_approvals", {"mine": False})
        assert [each.id for each in listed.approvals] == [mine.id]
        await app.answer(who, "withdraw_pending_write", {"approval_id": mine.id})
        (one,) = (await app.answer(who, "list_pending_approvals", {"status": "withdrawn"})).approvals
        assert one.id == mine.id
