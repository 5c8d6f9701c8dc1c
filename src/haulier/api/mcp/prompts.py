"""Prompts for dispatchers, in the caller's language, that name the tools to use."""

from collections.abc import Iterator, Mapping

import mcp_types as types

from haulier.api.mcp.request import McpRequest
from haulier.api.mcp.server_features import PromptDeclaration, ServerFeatures
from haulier.api.mcp.tool_list import ToolList
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.operations.hidden_characters import remove_hidden_from_utf8
from haulier.kernel.operations.near_names import unknown_operation

ARGUMENT_MAX = 200
"""Maximum characters of an argument, which becomes part of the prompt."""


class Prompts:
    """The prompts of one server.

    A prompt requires access to all the tools that it names.
    """

    def __init__(self, features: ServerFeatures, tool_list: ToolList) -> None:
        self._tool_list = tool_list
        self._prompts = [each for each in features.prompts if set(each.tools) <= tool_list.operations.keys()]

    async def offered(self, request: McpRequest) -> dict[str, PromptDeclaration]:
        """Return the caller's prompts by name.

        Raises `OperationError` for an invalid token.
        """
        names = set(await self._tool_list.names(request))
        return {prompt.name: prompt for prompt in self._prompts if names.issuperset(prompt.tools)}

    async def listed(self, request: McpRequest) -> types.ListPromptsResult:
        """Return the caller's prompts, with titles and descriptions in their language."""
        return types.ListPromptsResult(
            prompts=[
                types.Prompt(
                    name=prompt.name,
                    title=_words(request, prompt, "title"),
                    description=_words(request, prompt, "description"),
                    arguments=[
                        types.PromptArgument(
                            name=argument.name,
                            description=_words(request, prompt, argument.name),
                            required=argument.required,
                        )
                        for argument in prompt.arguments
                    ],
                )
                for prompt in (await self.offered(request)).values()
            ]
        )

    async def get(self, request: McpRequest, name: str, arguments: Mapping[str, str] | None) -> types.GetPromptResult:
        """Return a prompt with its arguments filled in.

        Raises `MCPError` for a prompt that is not available to the caller.
        """
        prompt = (await self.offered(request)).get(name)
        if prompt is None:
            operations = [(each.name, self._tool_list.operations[each.tools[0]]) for each in self._prompts]
            raise request.protocol_error(unknown_operation(name, operations))
        given = {key: value for key, value in (arguments or {}).items() if value.strip()}
        if faults := list(_faults(prompt, given)):
            raise request.protocol_error(INVALID_REQUEST.for_fields(*faults))
        text = _words(request, prompt, "text", **_filled(request, prompt, given))
        content = types.TextContent(type="text", text=remove_hidden_from_utf8(text.encode()).decode())
        return types.GetPromptResult(
            description=_words(request, prompt, "description"),
            messages=[types.PromptMessage(role="user", content=content)],
        )


def _faults(prompt: PromptDeclaration, given: Mapping[str, str]) -> Iterator[FieldError]:
    known = {argument.name: argument for argument in prompt.arguments}
    for name, value in given.items():
        if name not in known:
            yield FieldError(f"arguments.{name[:60]}", "field.extra_forbidden")
        elif len(value) > ARGUMENT_MAX:
            yield FieldError(f"arguments.{name}", "field.string_too_long", {"max_length": ARGUMENT_MAX})
    for name, argument in known.items():
        if argument.required and name not in given:
            yield FieldError(f"arguments.{name}", "field.missing")


def _filled(request: McpRequest, prompt: PromptDeclaration, given: Mapping[str, str]) -> dict[str, str]:
    """Return each argument on one line, with default words for missing ones."""
    return {
        argument.name: " ".join(given[argument.name].split())
        if argument.name in given
        else request.app.catalogues.translate(request.language, f"mcp.prompt.without.{argument.name}")
        for argument in prompt.arguments
    }


def _words(request: McpRequest, prompt: PromptDeclaration, which: str, **values: str) -> str:
    return request.app.catalogues.translate(request.language, f"mcp.prompt.{prompt.name}.{which}", **values)
