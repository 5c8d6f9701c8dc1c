"""The SDK's server with the handlers of one MCP server."""

from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import NotificationOptions
from mcp.server.lowlevel import Server as SdkServer
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from haulier import __version__
from haulier.api.mcp.client_capabilities import TASKS_EXTENSION
from haulier.api.mcp.completions import Completions
from haulier.api.mcp.confirmation import call_or_elicit, requires_confirmation, state_boundary
from haulier.api.mcp.feature_calls import request_of
from haulier.api.mcp.prompts import Prompts
from haulier.api.mcp.request import McpRequest
from haulier.api.mcp.resources import Resources
from haulier.api.mcp.results import tool_answer, tool_error
from haulier.api.mcp.server_features import ServerFeatures
from haulier.api.mcp.subscriptions import Subscriptions
from haulier.api.mcp.tasks import TaskParams, Tasks, UpdateTaskParams, require_tasks
from haulier.api.mcp.tool_calls import call_tool
from haulier.api.mcp.tool_catalogue import starter_tools
from haulier.api.mcp.tool_list import LIST_METHOD, ToolList
from haulier.api.mcp.tool_search import CALL_TOOL, FIND_TOOLS, SEARCH_TOOLS, find_tools
from haulier.kernel.application import Application
from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError
from haulier.kernel.operations.near_names import unknown_operation
from haulier.kernel.principal import Principal

LIST_MAX_AGE_MS = 300_000
"""Milliseconds that a client of the newer version may cache the lists of tools, prompts and templates."""
_KEPT = CacheHint(LIST_MAX_AGE_MS, "private")
_READ_AGAIN = CacheHint(0, "private")


class _Sdk(SdkServer[Any]):
    """The SDK's server with accurate capabilities.

    Lists do not change while it runs, and only the newer version has tasks.
    """

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> types.ServerCapabilities:
        is_modern = protocol_version in MODERN_PROTOCOL_VERSIONS
        said = super().get_capabilities(
            notification_options,
            experimental_capabilities,
            extensions if is_modern else {},
            protocol_version=protocol_version,
        )
        for each in (said.tools, said.prompts, said.resources):
            if each is not None:
                each.list_changed = False
        if not is_modern:
            said.extensions = None
        return said


class SdkInterface:
    """The handlers that the SDK calls for the messages of one server."""

    def __init__(
        self, app: Application, server: McpServer, tool_list: ToolList, features: ServerFeatures, instructions: str
    ) -> None:
        self._tool_list = tool_list
        self.resources = Resources(features)
        self.prompts = Prompts(features, tool_list)
        self.completions = Completions(features, self.prompts)
        self.tasks = Tasks(features)
        self.sdk = _Sdk(
            name := f"haulier-{server.value}",
            version=__version__,
            instructions=instructions,
            cache_hints={
                LIST_METHOD: _KEPT,
                "prompts/list": _KEPT,
                "resources/templates/list": _KEPT,
                "resources/list": _READ_AGAIN,
                "resources/read": _READ_AGAIN,
            },
            get_tool_input_schema=tool_list.schema,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
            on_subscriptions_listen=Subscriptions(self.resources).listen,
        )
        self.sdk.middleware.append(state_boundary(app, name))
        self.sdk.extensions = {TASKS_EXTENSION: {}}
        self.sdk.add_request_handler("tasks/get", TaskParams, self._get_task)
        self.sdk.add_request_handler("tasks/update", UpdateTaskParams, self._update_task)
        self.sdk.add_request_handler("tasks/cancel", TaskParams, self._cancel_task)

    async def _caller(self, request: McpRequest) -> Principal:
        """Return the caller. Raises `MCPError` for an invalid token or header."""
        try:
            return await self._tool_list.caller(request)
        except OperationError as error:
            raise request.protocol_error(error) from None

    async def _list_tools(self, context: Any, _: Any) -> types.ListToolsResult:
        request = request_of(context)
        try:
            names = await self._tool_list.names(request)
        except OperationError as error:
            raise request.protocol_error(error) from None
        first: tuple[types.Tool, ...] = ()
        if request.headers.searches_tools:
            first, allowed = SEARCH_TOOLS, set(names)
            names = [name for name in starter_tools(request.server) if name in allowed]
        return types.ListToolsResult(
            tools=[*first, *(self._tool_list.tool(listed) for listed in self._tool_list.listed(names))]
        )

    async def _call_tool(self, context: Any, params: types.CallToolRequestParams) -> Any:
        request, raw = request_of(context), context.params or {}
        operation = self._tool_list.operations.get(params.name)
        if operation is None and request.headers.searches_tools and params.name in {FIND_TOOLS, CALL_TOOL}:
            return await self._search_tools(request, params)
        if operation is None:
            raise request.protocol_error(unknown_operation(params.name, self._tool_list.operations.items()))
        if requires_confirmation(operation, raw):
            result = await call_or_elicit(request, operation, params, raw)
        else:
            result = await call_tool(request, operation, params.arguments, raw)
        if isinstance(result, types.InputRequiredResult):
            return result
        told = result.to_sdk_result()
        if not told.is_error and self.tasks.may_begin(params.name, raw):
            task = await self.tasks.begun(request, params.name, told.structured_content or {})
            return told if task is None else task
        return told

    async def _search_tools(self, request: McpRequest, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Find tools, or refuse a `call_tool` that names none."""
        if params.name == CALL_TOOL:
            error = INVALID_REQUEST.for_fields(FieldError("name", "field.missing"))
            return tool_error(request.body(error)).to_sdk_result()
        try:
            allowed = await self._tool_list.names(request)
        except OperationError as error:
            raise request.protocol_error(error) from None
        found = find_tools(self._tool_list, allowed, params.arguments or {})
        return tool_answer({"tools": found}).to_sdk_result()

    async def _list_resources(self, context: Any, params: Any) -> types.ListResourcesResult:
        request = request_of(context)
        return await self.resources.listed(request, await self._caller(request), params.cursor if params else None)

    async def _list_templates(self, context: Any, _: Any) -> types.ListResourceTemplatesResult:
        request = request_of(context)
        return self.resources.templates(request, await self._caller(request))

    async def _read_resource(self, context: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await self.resources.read(request_of(context), str(params.uri), context.protocol_version)

    async def _list_prompts(self, context: Any, _: Any) -> types.ListPromptsResult:
        request = request_of(context)
        await self._caller(request)
        return await self.prompts.listed(request)

    async def _get_prompt(self, context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        request = request_of(context)
        await self._caller(request)
        return await self.prompts.get(request, params.name, params.arguments)

    async def _complete(self, context: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
        request = request_of(context)
        return await self.completions.complete(request, await self._caller(request), params)

    async def _get_task(self, context: Any, params: TaskParams) -> dict[str, Any]:
        require_tasks(context, params.task_id)
        return await self.tasks.get(request_of(context), params.task_id)

    async def _update_task(self, context: Any, params: UpdateTaskParams) -> dict[str, Any]:
        require_tasks(context, params.task_id)
        return await self.tasks.update(request_of(context), params.task_id)

    async def _cancel_task(self, context: Any, params: TaskParams) -> dict[str, Any]:
        require_tasks(context, params.task_id)
        return await self.tasks.cancel(request_of(context), params.task_id)
