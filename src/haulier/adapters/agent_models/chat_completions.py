"""Client of the OpenAI chat completions API, with streaming.

vLLM, Ollama, llama.cpp, LM Studio and most vendors support the same API. See
https://platform.openai.com/docs/api-reference/chat.
"""

from typing import Any

import msgspec

from haulier.adapters.agent_models.endpoint import (
    ModelEndpoint,
    post_request,
    read_arguments,
    read_document,
    read_events,
)
from haulier.contexts.control_tower.ports import Message, ModelFailed, ModelReply, OnText, Prompt, ToolCall

LAST = "[DONE]"


class ChatCompletions:
    """Model behind a chat completions API."""

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
        headers = {"authorization": f"Bearer {self._endpoint.key}"} if self._endpoint.key else {}
        reading = _ChatReading(self._endpoint, on_text)
        async with post_request(f"{self._endpoint.base}/chat/completions", headers, self._body(prompt)) as response:
            if response.headers.get("content-type", "").startswith("application/json"):
                await reading.apply_message(await response.aread())  # the server does not support streaming
            else:
                await read_events(response, reading.take)
        return reading.reply()

    def _body(self, prompt: Prompt) -> dict[str, Any]:
        messages: list[dict[str, Any]] = [{"role": "system", "content": prompt.system}]
        for message in prompt.messages:
            messages += _messages(message)
        body: dict[str, Any] = {
            "model": self._endpoint.model,
            "messages": messages,
            "max_tokens": prompt.max_output_tokens,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if prompt.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema},
                }
                for tool in prompt.tools
            ]
        return body


def _messages(message: Message) -> list[dict[str, Any]]:
    if message.outcomes:
        return [
            {"role": "tool", "tool_call_id": outcome.call_id, "content": outcome.text} for outcome in message.outcomes
        ]
    if message.role != "agent":
        return [{"role": "user", "content": message.text}]
    told: dict[str, Any] = {"role": "assistant", "content": message.text or None}
    if message.calls:
        told["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": msgspec.json.encode(dict(call.arguments)).decode()},
            }
            for call in message.calls
        ]
    elif not message.text:
        told["content"] = "…"
    return [told]


class _ChatReading:
    """State of a response stream."""

    def __init__(self, endpoint: ModelEndpoint, on_text: OnText) -> None:
        self._endpoint, self._on_text = endpoint, on_text
        self._texts: list[str] = []
        self._calls: dict[int, dict[str, str]] = {}
        self._input = self._output = 0
        self._finished = False

    async def take(self, text: str) -> bool:
        """Process a chunk and return False after the last one.

        Raises `ModelFailed` for errors.
        """
        if text.strip() == LAST:
            return False
        chunk = read_document(text)
        if "error" in chunk:
            raise ModelFailed("the server ended the answer with an error")
        await self._apply_choice(chunk, "delta")
        return True

    async def apply_message(self, body: bytes) -> None:
        """Process a response that was not streamed."""
        await self._apply_choice(read_document(body), "message")

    async def _apply_choice(self, chunk: dict[str, Any], member: str) -> None:
        usage = chunk.get("usage") or {}
        self._input = usage.get("prompt_tokens") or self._input
        self._output = usage.get("completion_tokens") or self._output
        for choice in (chunk.get("choices") or [])[:1]:
            part = choice.get(member) or {}
            if text := part.get("content"):
                self._texts.append(text)
                await self._on_text(text)
            for position, call in enumerate(part.get("tool_calls") or ()):
                self._apply_call(call, position)
            self._finished = self._finished or bool(choice.get("finish_reason"))

    def _apply_call(self, call: dict[str, Any], position: int) -> None:
        index = call.get("index", position)
        known = self._calls.setdefault(index, {"id": f"call_{index}", "name": "", "json": ""})
        function = call.get("function") or {}
        known["id"] = call.get("id") or known["id"]
        known["name"] += function.get("name") or ""
        known["json"] += function.get("arguments") or ""

    def reply(self) -> ModelReply:
        """Return the complete response. Raises `ModelFailed` if it is truncated."""
        if not self._finished:
            raise ModelFailed("the answer broke off")
        calls = [
            ToolCall(id=call["id"], name=call["name"], arguments=read_arguments(call["json"]))
            for _, call in sorted(self._calls.items())
            if call["name"]
        ]
        usage = self._endpoint.usage(self._input, self._output)
        return ModelReply(text="".join(self._texts), calls=calls, usage=usage)
