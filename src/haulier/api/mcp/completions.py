"""Completions for prompt arguments and variables of resource templates.

Each completion runs one list operation as the caller, so it can't reveal records that the caller may not see.
"""

from typing import Any

import mcp_types as types

from haulier.api.mcp.feature_calls import call_operation, may_call
from haulier.api.mcp.prompts import ARGUMENT_MAX, Prompts
from haulier.api.mcp.request import McpRequest
from haulier.api.mcp.server_features import CompletionSource, ServerFeatures
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.principal import Principal

MAX_VALUES = 100
"""Maximum number of values in the protocol."""


class Completions:
    """The completions of one server."""

    def __init__(self, features: ServerFeatures, prompts: Prompts) -> None:
        self._features = features
        self._prompts = prompts

    async def complete(
        self, request: McpRequest, caller: Principal, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Return up to 100 values; none for a free argument.

        Raises `MCPError` for an unknown reference or argument.
        """
        source = await self._source(request, caller, params)
        if source is None:
            return _result([], has_more=False)
        return await _values(request, caller, source, params.argument.value.strip()[:ARGUMENT_MAX])

    async def _source(
        self, request: McpRequest, caller: Principal, params: types.CompleteRequestParams
    ) -> CompletionSource | None:
        if isinstance(params.ref, types.PromptReference):
            prompt = (await self._prompts.offered(request)).get(params.ref.name)
            sources = {each.name: each.complete for each in prompt.arguments} if prompt else None
        else:
            sources = self._sources_of_template(request, caller, params.ref.uri)
        if sources is None or params.argument.name not in sources:
            place = "ref" if sources is None else "argument.name"
            fault = FieldError(place, "field.enum", {"expected": ", ".join(sources or ()) or "–"})
            raise request.protocol_error(INVALID_REQUEST.for_fields(fault))
        name = sources[params.argument.name]
        return self._features.completions[name] if name else None

    def _sources_of_template(self, request: McpRequest, caller: Principal, uri: str) -> dict[str, str | None] | None:
        for template in self._features.templates:
            if template.uri == uri and may_call(request, caller, template.operation):
                return dict(template.complete)
        return None


async def _values(request: McpRequest, caller: Principal, source: CompletionSource, typed: str) -> types.CompleteResult:
    operation, body = _question(source, typed)
    if not may_call(request, caller, operation):
        return _result([], has_more=False)
    result = await call_operation(request, operation, body=body)
    if result.error is not None:
        return _result([], has_more=False)
    records = getattr(result.answer, source.records)
    values = list(
        dict.fromkeys(
            str(getattr(record, source.value))
            for record in records
            if getattr(record, source.value) is not None and _begins(record, source, typed.casefold())
        )
    )
    is_full = source.page is not None and len(records) >= MAX_VALUES
    return _result(values[:MAX_VALUES], has_more=is_full or len(values) > MAX_VALUES)


def _question(source: CompletionSource, typed: str) -> tuple[str, dict[str, Any]]:
    """Return the operation to call and its arguments."""
    if source.otherwise and len(typed) < source.shortest:
        return source.otherwise.operation, {source.otherwise.page: MAX_VALUES}
    asked: dict[str, Any] = {source.page: MAX_VALUES} if source.page else {}
    if source.query and typed:
        asked[source.query] = typed
    return source.operation, asked


def _begins(record: Any, source: CompletionSource, typed: str) -> bool:
    """Return True if a field, or a word in it, begins with the typed text."""
    texts = (str(getattr(record, name, None) or "").casefold() for name in source.matches)
    return any(text.startswith(typed) or f" {typed}" in text for text in texts)


def _result(values: list[str], *, has_more: bool) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=values, has_more=has_more))
