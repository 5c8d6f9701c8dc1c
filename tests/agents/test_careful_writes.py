"""Writes that wait: previewed, proposed, approved and rejected."""

import asyncio
from typing import Any

from tests.agents.agent_world import AgentWorld


async def test_find_move_preview_propose_approve(world: AgentWorld) -> None:
    """An agent without approval rights prepares; a reviewer's agent approves."""
    order = await world.order(order_ref="A-1")
    window = {"window_start": "2026-06-11T17:00:00Z", "window_end": "2026-06-11T19:00:00Z"}
    asked: dict[str, Any] = {"order_refs": ["A-1"], **window}
    async with world.agent("employee", dry_run="1") as careful:
        (found,) = (await careful.does("find_order", search="A-1"))["orders"]
        preview = await careful.does("update_time_window_by_refs", **asked)
    assert (found["id"], preview["dry_run"], preview["preview"]["changed"]) == (order.id, True, 1)
    async with world.agent("employee") as agent:
        queued = await agent.does("propose_write", tool="update_time_window_by_refs", arguments=asked, note="By phone")
    async with world.agent() as reviewer:
        (waiting,) = (await reviewer.does("list_pending_approvals"))["approvals"]
        assert waiting["arguments"]["order_refs"] == ["A-1"]
        done = await reviewer.does("approve_pending_write", approval_id=queued["approval"]["id"], confirm=True)
        shown = await reviewer.does("get_order_detail", order_id=order.id)
    assert done["approval"]["status"] == "executed"
    assert shown["order"]["window_start"] == "2026-06-11T13:00:00-04:00"


async def test_a_preview_shows_records_before_and_after_and_changes_nothing(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent(dry_run="1") as agent:
        shown = await agent.does("cancel_order", order_id=order.id)
        after = await agent.does("get_order_detail", order_id=order.id)
    assert shown["preview"]["order"]["status"] == "CANCELLED"
    assert [change["record"] for change in shown["changes"]].count("delivery_order") == 1
    assert after["order"]["status"] == "NEW_ORDER"


async def test_previewing_a_refused_write_returns_the_refusal(world: AgentWorld) -> None:
    async with world.agent(dry_run="1") as agent:
        told = await agent.is_refused("hold_order", order_id=99)
    assert told["code"] == "NOT_FOUND"


async def test_a_connection_with_approvals_queues_only_dangerous_writes(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent("employee", approval="1") as agent:
        noted = await agent.does("update_order_note", order_id=order.id, note="ring")
        queued = await agent.does("cancel_order", order_id=order.id)
        shown = await agent.does("get_order_detail", order_id=order.id)
    assert (noted["result"], noted["queued"]) == (True, False)
    assert (queued["queued"], shown["order"]["status"]) == (True, "NEW_ORDER")


async def test_a_proposal_that_could_not_run_is_refused(world: AgentWorld) -> None:
    async with world.agent("employee") as agent:
        told = await agent.is_refused("propose_write", tool="hold_order", arguments={"order_id": 99})
    async with world.agent() as reviewer:
        waiting = await reviewer.does("list_pending_approvals")
    assert (told["code"], waiting["total"]) == ("NOT_FOUND", 0)


async def test_errors_in_the_arguments_of_a_proposal_are_named(world: AgentWorld) -> None:
    async with world.agent("employee") as agent:
        told = await agent.is_refused("propose_write", tool="hold_order", arguments={"order_id": "seven"})
    assert [fault["field"] for fault in told["errors"]] == ["arguments.order_id"]


async def test_agents_cannot_approve_their_own_proposals(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent() as agent:
        queued = await agent.does("propose_write", tool="hold_order", arguments={"order_id": order.id})
        told = await agent.is_refused("approve_pending_write", approval_id=queued["approval"]["id"], confirm=True)
    assert told["code"] == "APPROVAL_OWN"


async def test_a_reviewer_needs_the_permissions_of_the_write(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent("employee") as agent:
        queued = await agent.does("propose_write", tool="hold_order", arguments={"order_id": order.id})
    async with world.agent(scopes="approvals:read,approvals:write") as reviewer:
        told = await reviewer.is_refused("approve_pending_write", approval_id=queued["approval"]["id"], confirm=True)
    assert told["code"] == "SCOPE_MISSING"


async def test_reject_a_write_with_a_reason_for_its_proposer(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent("employee") as agent:
        queued = await agent.does("propose_write", tool="cancel_order", arguments={"order_id": order.id})
        async with world.agent() as reviewer:
            id = queued["approval"]["id"]
            await reviewer.does("reject_pending_write", approval_id=id, reason="Call them first")
            told = await reviewer.is_refused("approve_pending_write", approval_id=id, confirm=True)
        (mine,) = (await agent.does("list_pending_approvals", status="rejected", mine=True))["approvals"]
    assert (told["code"], mine["review_note"]) == ("APPROVAL_DECIDED", "Call them first")


async def test_an_expired_write_can_be_proposed_again(world: AgentWorld) -> None:
    order = await world.order()
    asked = {"tool": "hold_order", "arguments": {"order_id": order.id}}
    async with world.agent("employee") as agent, world.agent() as reviewer:
        old = await agent.does("propose_write", **asked)
        world.app.clock.forward(hours=73)
        told = await reviewer.is_refused("approve_pending_write", approval_id=old["approval"]["id"], confirm=True)
        new = await agent.does("propose_write", **asked)
        await reviewer.does("approve_pending_write", approval_id=new["approval"]["id"], confirm=True)
    assert told["code"] == "APPROVAL_EXPIRED"


async def test_two_concurrent_reviewers_run_it_once(world: AgentWorld) -> None:
    async with world.agent("employee") as agent, world.agent() as one, world.agent() as other:
        consignee = {"name": "A", "address": "1 Bay St", "city": "Toronto", "country": "CA"}
        asked = {"tool": "create_order", "arguments": {"consignee": consignee}}
        approval = {"approval_id": (await agent.does("propose_write", **asked))["approval"]["id"], "confirm": True}
        calls = [reviewer._client.call_tool("approve_pending_write", approval) for reviewer in (one, other)]
        results = await asyncio.gather(*calls)
        listed = await one.does("get_orders")
    assert sorted(bool(result.is_error) for result in results) == [False, True]
    assert listed["total"] == 1


async def test_an_approved_write_is_in_the_orders_history(world: AgentWorld) -> None:
    order = await world.order()
    async with world.agent("employee") as agent, world.agent() as reviewer:
        queued = await agent.does("propose_write", tool="hold_order", arguments={"order_id": order.id})
        await reviewer.does("approve_pending_write", approval_id=queued["approval"]["id"], confirm=True)
    async with world.agent(server="developer") as developer:
        history = await developer.does("get_order_audit_timeline", order_id=order.id)
    assert "hold_order" in str(history["entries"])
