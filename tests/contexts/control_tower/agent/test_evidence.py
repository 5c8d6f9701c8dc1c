"""Evidence of a turn: called tools, cited records, and states of proposals."""

from tests.contexts.control_tower.agent.makers import asked, calls, has_agent, make_session, says, with_model
from tests.contexts.control_tower.approvals.makers import create_order_as
from tests.support.app import App

from haulier.contexts.control_tower.agent.rules.records import RECORDS_MAX, records_in


async def test_a_turn_lists_its_tools_their_records_and_its_proposals(app: App) -> None:
    await has_agent(app)
    order_id = await create_order_as(app, order_ref="A-1")
    turn = (await asked(app, "hold A-1", who="employee")).turn
    find, hold = turn.tools
    assert (find.tool, find.arguments["search"], find.code) == ("find_order", "A-1", None)
    assert [(each.field, each.id, each.name) for each in find.records] == [("order_id", order_id, "A-1")]
    assert hold.proposal is not None
    assert (hold.tool, hold.arguments["order_id"], hold.proposal.status) == ("hold_order", order_id, "pending")
    await app.answer("admin", "approve_pending_write", {"approval_id": hold.proposal.approval_id})
    (listed,) = (await app.answer("employee", "list_agent_turns", {"agent_session_id": turn.agent_session_id})).turns
    assert [tool.proposal and tool.proposal.status for tool in listed.tools] == [None, "executed"]


async def test_a_refused_tool_call_is_shown_with_its_reason(app: App) -> None:
    await has_agent(app)
    with_model(app, calls(("get_order_detail", {"order_id": 999})), says("There is none."))
    (tool,) = (await asked(app, "What about 999?")).turn.tools
    assert (tool.code, tool.records, tool.proposal) == ("NOT_FOUND", [], None)
    assert tool.message


async def test_listing_turns_uses_a_constant_number_of_statements(app: App) -> None:
    await has_agent(app)
    await create_order_as(app, order_ref="A-1")
    session, counts = await make_session(app), []
    for _ in range(3):
        await asked(app, "note on A-1: ring twice", session_id=session)
        before = app.statements
        await app.answer("admin", "list_agent_turns", {"agent_session_id": session})
        counts.append(app.statements - before)
    assert counts[0] == counts[-1]


def test_records_are_listed_once_by_kind_outermost_first() -> None:
    order = {"id": 7, "order_ref": "A-7", "driver": {"id": 3, "name": "Dana"}, "route_id": 2, "user_id": 9}
    found = records_in({"result": True, "orders": [order, {**order, "id": 8, "order_ref": None}], "total": 2})
    assert [(each["field"], each["id"], each["name"]) for each in found] == [
        ("order_id", 7, "A-7"),
        ("route_id", 2, None),
        ("order_id", 8, None),
        ("driver_id", 3, None),
    ]
    assert records_in({"order_id": 5, "order_ref": "A-5"}) == [{"field": "order_id", "id": 5, "name": "A-5"}]
    many = records_in({"routes": [{"id": id, "name": f"Route {id}"} for id in range(50)]})
    assert len(many) == RECORDS_MAX
    assert many[0]["name"] == "Route 0"
