"""High-risk tools ask the user first, if the client supports forms."""

from typing import Any

import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError
from tests.agents.agent_world import AgentWorld


class Person:
    """A user at the client who answers all forms alike."""

    def __init__(self, action: Any, confirm: bool = True) -> None:
        self.action, self.confirm = action, confirm
        self.read: list[str] = []

    async def __call__(self, context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.read.append(params.message)
        content: Any = {"confirm": self.confirm} if self.action == "accept" else None
        return types.ElicitResult(action=self.action, content=content)


async def held(world: AgentWorld, person: Person | None, order_id: int, **options: Any) -> Any:
    """Return the result of a hold without `confirm` for a client with this user."""
    async with world.client(elicitation_callback=person, **options) as client:
        return await client.call_tool("hold_orders", {"order_ids": [order_id], "reason": "Street closed"})


async def status(world: AgentWorld, order_id: int) -> str:
    return (await world.app.answer("admin", "get_order_detail", {"order_id": order_id})).order.status


async def test_a_user_sees_the_preview_and_confirms(world: AgentWorld) -> None:
    order, person = await world.order(), Person("accept")
    result = await held(world, person, order.id)
    assert not result.is_error
    assert await status(world, order.id) == "HOLD"
    (question,) = person.read
    assert "Street closed" in question
    assert str(order.id) in question


@pytest.mark.parametrize("person", [Person("decline"), Person("cancel"), Person("accept", confirm=False)])
async def test_without_confirmation_nothing_runs_and_the_agent_gets_the_reason(
    world: AgentWorld, person: Person
) -> None:
    order = await world.order()
    result = await held(world, person, order.id)
    assert (result.is_error, result.structured_content["code"]) == (True, "CONFIRM_DECLINED")
    assert await status(world, order.id) == "NEW_ORDER"


async def test_clients_without_elicitation_get_the_regular_refusal(world: AgentWorld) -> None:
    order = await world.order()
    for person, options in ((None, {}), (Person("accept"), {"mode": "legacy"})):
        result = await held(world, person, order.id, **options)
        assert (result.is_error, result.structured_content["code"]) == (True, "CONFIRM_REQUIRED")
    assert await status(world, order.id) == "NEW_ORDER"


async def test_refused_writes_and_dry_runs_need_no_confirmation(world: AgentWorld) -> None:
    order, person = await world.order(), Person("accept")
    async with world.client(elicitation_callback=person) as client:
        refused = await client.call_tool("hold_orders", {"order_ids": []})
        assert refused.structured_content["code"] == "INVALID_REQUEST"  # type: ignore[index]
    rehearsed = await held(world, person, order.id, said={"dry_run": "1"})
    assert rehearsed.structured_content["dry_run"] is True
    refused = await held(world, person, order.id, said={"profile": "ops-readonly"})
    assert refused.structured_content["code"] == "SCOPE_NARROWED"
    assert person.read == []


async def test_a_confirmation_matches_its_request_and_is_used_once(world: AgentWorld) -> None:
    orders = [await world.order(order_ref=f"A-{number}") for number in range(2)]
    first, second = ({"order_ids": [order.id]} for order in orders)
    agreed: Any = {"confirm": types.ElicitResult(action="accept", content={"confirm": True})}
    async with (
        world.client(elicitation_callback=Person("accept")) as client,
        world.client("employee", elicitation_callback=Person("accept")) as other,
    ):
        question = await client.session.call_tool("hold_orders", first, allow_input_required=True)
        assert isinstance(question, types.InputRequiredResult)
        state: Any = question.request_state
        for session, arguments, sent in (
            (client.session, first, state[:-9] + ("B" if state[-9] == "A" else "A") + state[-8:]),
            (client.session, second, state),
            (other.session, first, state),
        ):
            with pytest.raises(MCPError) as error:
                await session.call_tool(
                    "hold_orders", arguments, input_responses=agreed, request_state=sent, allow_input_required=True
                )
            assert error.value.code == -32602
        again = await client.session.call_tool("hold_orders", first, input_responses=agreed, allow_input_required=True)
        assert isinstance(again, types.InputRequiredResult)
        answers = [
            await client.session.call_tool("hold_orders", first, input_responses=agreed, request_state=state)
            for _ in range(2)
        ]
    assert [answer.is_error for answer in answers] == [False, False]
    assert answers[0].structured_content == answers[1].structured_content
    assert [await status(world, order.id) for order in orders] == ["HOLD", "NEW_ORDER"]
