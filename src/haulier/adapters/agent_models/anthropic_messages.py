"""Client of the Anthropic Messages API, with streaming.

See https://docs.anthropic.com/en/api/messages-streaming.
"""

from collections.abc import Sequence
from typing import Any

from haulier.adapters.agent_models.endpoint import (
    ModelEndpoint,
    post_request,
    read_arguments,
    read_document,
    read_events,
)
from haulier.contexts.control_tower.ports import (
    Message,
    ModelFailed,
    ModelReply,
    OnText,
    Prompt,
    ToolCall,
    ToolDefinition,
)

VERSION = "2023-06-01"
KEPT = {"type": "ephemeral"}
"""Prompt caching: the tools and the system prompt are the same in each step of a turn."""


class AnthropicMessages:
    """Model behind the Anthropic Messages API."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._endpoint.model

    async def reply(self, prompt: Prompt, on_text: OnText) -> ModelReply:
        """Return the next response and stream its text to `on_text`.

        Raises `ModelFailed`.
        """
        headers = {"anthropic-version": VERSION}
        if self._endpoint.key:
            headers["x-api-key"] = self._endpoint.key
        reading = _Reading(self._endpoint, on_text)
        async with post_request(f"{self._endpoint.base}/v1/messages", headers, self._body(prompt)) as response:
            await read_events(response, reading.take)
        return reading.reply()

    def _body(self, prompt: Prompt) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._endpoint.model,
            "max_tokens": prompt.max_output_tokens,
            "system": [{"type": "text", "text": prompt.system, "cache_control": KEPT}],
            "messages": [{"role": _role(message), "content": _content(message)} for message in prompt.messages],
            "stream": True,
        }
        if prompt.tools:
            body["tools"] = _tools(prompt.tools)
        return body


def _role(message: Message) -> str:
    return "assistant" if message.role == "agent" else "user"


def _content(message: Message) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": message.text}] if message.text.strip() else []
    blocks += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.arguments)} for call in message.calls
    ]
    for outcome in message.outcomes:
        result = {"type": "tool_result", "tool_use_id": outcome.call_id, "content": outcome.text}
        blocks.append({**result, "is_error": True} if outcome.is_error else result)
    return blocks or [{"type": "text", "text": "…"}]  # the API rejects empty messages


def _tools(tools: Sequence[ToolDefinition]) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = [
        {"name": tool.name, "description": tool.description, "input_schema": tool.schema} for tool in tools
    ]
    told[-1]["cache_control"] = KEPT
    return told


class _Reading:
    """State of a response stream."""

    def __init__(self, endpoint: ModelEndpoint, on_text: OnText) -> None:
        self._endpoint, self._on_text = endpoint, on_text
        self._texts: list[str] = []
        self._blocks: dict[int, dict[str, str]] = {}
        self._input = self._output = 0
        self._ended = False

    async def take(self, text: str) -> bool:
        """Process an event and return False after the last one.

        Raises `ModelFailed` for error events.
        """
        event = read_document(text)
        match event.get("type"):
            case "message_start":
                self._count(event.get("message", {}).get("usage", {}))
            case "content_block_start":
                block = event.get("content_block", {})
                if block.get("type") == "tool_use":
                    self._blocks[event["index"]] = {"id": block["id"], "name": block["name"], "json": ""}
            case "content_block_delta":
                await self._apply_delta(event)
            case "message_delta":
                self._count(event.get("usage", {}))
            case "error":
                raise ModelFailed(str(event.get("error", {}).get("type", "error")))
            case "message_stop":
                self._ended = True
            case _:
                pass
        return not self._ended

    async def _apply_delta(self, event: dict[str, Any]) -> None:
        delta = event.get("delta", {})
        if delta.get("type") == "text_delta":
            self._texts.append(delta["text"])
            await self._on_text(delta["text"])
        elif delta.get("type") == "input_json_delta" and event["index"] in self._blocks:
            self._blocks[event["index"]]["json"] += delta["partial_json"]

    def _count(self, usage: dict[str, Any]) -> None:
        kinds = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        self._input = max(self._input, sum(usage.get(kind) or 0 for kind in kinds))
        self._output = max(self._output, usage.get("output_tokens") or 0)

    def reply(self) -> ModelReply:
        """Return the complete response. Raises `ModelFailed` if it is truncated."""
        if not self._ended:
            raise ModelFailed("the answer broke off")
        calls = [
            ToolCall(id=block["id"], name=block["name"], arguments=read_arguments(block["json"]))
            for _, block in sorted(self._blocks.items())
        ]
        usage = self._endpoint.usage(self._input, self._output)
        return ModelReply(text="".join(self._texts), calls=calls, usage=usage)
