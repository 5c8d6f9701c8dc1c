"""Models respond over real HTTP in both wire formats, in chunks.

The test server is verified with the providers' own clients.
"""

from typing import Any

import pytest
from tests.adapters.agent_models.model_server import ModelServer, Told, serve_model

from haulier.adapters.agent_models import agent_model_for
from haulier.adapters.agent_models import endpoint as endpoint_module
from haulier.contexts.control_tower.agent.rules.clerk.clerk import Clerk
from haulier.contexts.control_tower.ports import (
    AgentModel,
    Message,
    ModelFailed,
    ModelReply,
    Prompt,
    ToolCall,
    ToolDefinition,
    ToolOutcome,
)
from haulier.kernel.i18n.languages import Catalogues

TOOL = ToolDefinition(
    name="find_order",
    description="Find orders.",
    schema={"type": "object", "properties": {"search": {"type": "string"}}, "required": ["search"]},
    writes=False,
)
FORMS = ("anthropic", "openai")
PLAN = Told("Let me look.", [("find_order", {"search": "A-1"}), ("find_order", {"search": "A-2"})])


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_module, "RETRY_AFTER_S", 0.0)


def make_prompt(*messages: Message) -> Prompt:
    return Prompt(
        system="You are an agent.",
        messages=messages or (Message(role="person", text="Where is A-1?"),),
        tools=(TOOL,),
        language="en",
        today="2026-06-10",
        time_zone="UTC",
    )


def model_of(form: str, server: ModelServer, key: str | None = "k-1") -> AgentModel:
    path = "" if form == "anthropic" else "/v1"
    return agent_model_for(f"{form}+{server.base}{path}?model=m&input_usd=3&output_usd=15", key, Clerk(Catalogues()))


async def replied(model: AgentModel, prompt: Prompt | None = None) -> tuple[ModelReply, list[str]]:
    pieces: list[str] = []

    async def on_text(piece: str) -> None:
        pieces.append(piece)

    return await model.reply(prompt or make_prompt(), on_text), pieces


@pytest.mark.parametrize("form", FORMS)
async def test_text_and_tool_calls_are_streamed(form: str) -> None:
    async with serve_model(PLAN) as server:
        reply, pieces = await replied(model_of(form, server))
    assert pieces == ["Let me", " look."]
    assert reply.text == "Let me look."
    assert [(call.name, call.arguments) for call in reply.calls] == list(PLAN.tools)
    assert len({call.id for call in reply.calls}) == 2


@pytest.mark.parametrize("form", FORMS)
async def test_token_usage_and_cost_are_counted(form: str) -> None:
    async with serve_model(Told("Yes.")) as server:
        usage = (await replied(model_of(form, server)))[0].usage
    assert (usage.input_tokens, usage.output_tokens) == (107, 20)
    assert usage.cost_micro_usd == 107 * 3 + 20 * 15


@pytest.mark.parametrize("form", FORMS)
async def test_tool_results_are_returned_under_their_call_id(form: str) -> None:
    call = ToolCall(id="x1", name="find_order", arguments={"search": "A-1"})
    outcome = ToolOutcome(call_id="x1", name="find_order", text="<data>{}</data>", is_error=True)
    told = (
        Message(role="person", text="Where is A-1?"),
        Message(role="agent", text="", calls=(call,)),
        Message(role="tools", outcomes=(outcome,)),
    )
    async with serve_model(Told("Not found.")) as server:
        await replied(model_of(form, server), make_prompt(*told))
    (asked,), (headers,) = server.requests, server.headers
    assert asked["model"] == "m"
    assert asked["stream"] is True
    assert (_anthropic_results(asked) if form == "anthropic" else _openai_results(asked)) == (
        "x1",
        "x1",
        "<data>{}</data>",
    )
    key = headers["x-api-key"] if form == "anthropic" else headers["authorization"].removeprefix("Bearer ")
    assert key == "k-1"
    assert "k-1" not in str(asked)


def _anthropic_results(asked: dict[str, Any]) -> tuple[str, str, str]:
    use, result = asked["messages"][1]["content"][0], asked["messages"][2]["content"][0]
    assert (use["type"], result["type"], result["is_error"]) == ("tool_use", "tool_result", True)
    assert asked["tools"][0]["input_schema"] == TOOL.schema
    return use["id"], result["tool_use_id"], result["content"]


def _openai_results(asked: dict[str, Any]) -> tuple[str, str, str]:
    use, result = asked["messages"][2]["tool_calls"][0], asked["messages"][3]
    assert (asked["messages"][0]["role"], result["role"]) == ("system", "tool")
    assert asked["tools"][0]["function"]["parameters"] == TOOL.schema
    return use["id"], result["tool_call_id"], result["content"]


async def test_a_non_streaming_server_is_supported() -> None:
    async with serve_model(PLAN, streams=False) as server:
        reply, pieces = await replied(model_of("openai", server, None))
    assert pieces == ["Let me look."]
    assert [call.name for call in reply.calls] == ["find_order", "find_order"]
    assert "authorization" not in server.headers[0]


@pytest.mark.parametrize("form", FORMS)
async def test_a_busy_server_is_retried(form: str) -> None:
    busy = Told(status=529), Told(status=429, headers={"retry-after": "0"})
    async with serve_model(*busy, Told("Yes.")) as server:
        assert (await replied(model_of(form, server)))[0].text == "Yes."
    assert len(server.requests) == 3


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "fault", [Told(status=401), Told("Let me", breaks_off=True), Told(tools=PLAN.tools, breaks_off=True)]
)
async def test_a_refused_or_truncated_response_is_an_error(form: str, fault: Told) -> None:
    async with serve_model(fault) as server:
        with pytest.raises(ModelFailed) as failed:
            await replied(model_of(form, server))
    assert "k-1" not in str(failed.value)


@pytest.mark.parametrize("form", FORMS)
async def test_an_unreachable_server_is_an_error(form: str) -> None:
    async with serve_model() as server:
        pass
    with pytest.raises(ModelFailed):
        await replied(model_of(form, server))


@pytest.mark.parametrize("form", FORMS)
async def test_invalid_json_arguments_reach_the_tool_unchanged(form: str) -> None:
    async with serve_model(Told(tools=[("find_order", {})], arguments='{"search": ')) as server:
        reply, _ = await replied(model_of(form, server))
    assert reply.calls[0].arguments == {"malformed_arguments": '{"search": '}


async def test_the_test_server_is_compatible_with_the_providers_own_clients() -> None:
    from anthropic import AsyncAnthropic  # imported here: both take seconds, and each worker of a run reads this file
    from openai import AsyncOpenAI

    async with serve_model(PLAN, PLAN) as server:
        theirs = AsyncAnthropic(base_url=server.base, api_key="k-1")
        asked: dict[str, Any] = {"model": "m", "max_tokens": 10, "messages": [{"role": "user", "content": "?"}]}
        async with theirs.messages.stream(**asked) as stream:
            message = await stream.get_final_message()
        chat = AsyncOpenAI(base_url=f"{server.base}/v1", api_key="k-1")
        del asked["max_tokens"]
        chunks = [chunk async for chunk in await chat.chat.completions.create(**asked, stream=True)]
    assert [block.type for block in message.content] == ["text", "tool_use", "tool_use"]
    assert [block.input for block in message.content if block.type == "tool_use"] == [
        {"search": "A-1"},
        {"search": "A-2"},
    ]
    assert message.usage.output_tokens == 20
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "Let me look."
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens == 127
