"""Which tools a caller is shown: those that they may call. Decided once for each set of rights, written once for each tool."""

from collections.abc import Hashable
from functools import lru_cache
from typing import Any

import mcp_types as types
from mcp_types.methods import serialize_server_result

from haulier.doors.mcp.tools import bindings, tool_of
from haulier.doors.mcp.visit import Visit
from haulier.kernel import codec
from haulier.kernel.declarations import Server
from haulier.kernel.errors import Refusal
from haulier.kernel.operation import Operation
from haulier.kernel.pipeline import identify
from haulier.kernel.principal import NOBODY, Principal
from haulier.kernel.registry import Registry
from haulier.kernel.steps.authorise import refusal as why_not

LISTS_KEPT = 256
"""Lists of names kept ready. There are a few sets of rights, but a connection may narrow itself to any other."""
METHOD = "tools/list"


class Shop:
    """The tools of one server, in the order in which they are listed."""

    def __init__(self, registry: Registry, server: Server) -> None:
        found = sorted(bindings(registry, server), key=lambda each: each[0].name)
        self.operations: dict[str, Operation[Any, Any]] = {tool.name: operation for tool, operation in found}
        self.tools = {
            tool.name: types.Tool.model_validate(tool_of(tool, operation, server)) for tool, operation in found
        }
        self.written = lru_cache(maxsize=None)(self._written)
        self._names: dict[Hashable, list[str]] = {}

    def schema(self, name: str) -> dict[str, Any] | None:
        """What a tool takes; None for a name that is not there."""
        tool = self.tools.get(name)
        return tool.input_schema if tool else None

    async def names(self, visit: Visit) -> list[str]:
        """The tools that the caller may call. Raises a refusal for headers that make no sense."""
        caller, missing = await self.caller(visit), visit.house.modules_missing
        business = caller.business
        key = (caller.account, caller.scopes, business and (business.modules, business.features), missing)
        if key not in self._names:
            if len(self._names) >= LISTS_KEPT:
                self._names.clear()
            self._names[key] = [name for name, one in self.operations.items() if not why_not(one, caller, missing)]
        return self._names[key]

    async def caller(self, visit: Visit) -> Principal:
        """Who asks. A token that is no longer good sees what the public sees; calling with it says why.

        An agent that was connected is told at once, because it can get a new one.
        """
        if not self.operations:
            return NOBODY
        knock = visit.headers.knock(next(iter(self.operations.values())), "mcp", server=visit.server)
        try:
            caller = await identify(visit.house, knock)
        except Refusal:
            caller = NOBODY
        if visit.challenge.agents and caller is NOBODY:
            visit.challenge.demand_token()
        return caller

    def _written(self, name: str, version: str) -> bytes:
        """A tool as the SDK writes it in a version of the protocol."""
        return codec.encode(as_written(types.ListToolsResult(tools=[self.tools[name]]), version)["tools"][0])


def as_written(listed: types.ListToolsResult, version: str) -> dict[str, Any]:
    """A list as the SDK writes it in a version of the protocol."""
    return serialize_server_result(METHOD, version, listed.model_dump(by_alias=True, mode="json", exclude_none=True))


shop = lru_cache(maxsize=8)(Shop)
"""The tools of a server, made once."""
