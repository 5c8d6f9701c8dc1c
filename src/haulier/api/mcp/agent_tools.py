"""Tools for in-process agents, called through the pipeline as a user.

Writes are never carried out directly. Each becomes a proposal, regardless of its risk. Operations that review proposals
are excluded.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from haulier.api.mcp.lean_answers import without_nulls
from haulier.api.mcp.listed_arguments import listed_arguments
from haulier.api.mcp.tools import operation_input_schema
from haulier.kernel.application import Application
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Effect, McpServer, PriceFamily, Risk, Scope
from haulier.kernel.operations.hidden_characters import remove_hidden_from_utf8
from haulier.kernel.operations.registry import Registry
from haulier.kernel.pipeline.authorise import check_access
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.pipeline.run import handle_request
from haulier.kernel.principal import Principal
from haulier.late_import import LateModule

if TYPE_CHECKING:
    from haulier.api.mcp import tool_list as lists
else:
    lists = LateModule("haulier.api.mcp.tool_list")

INTERFACE = "agent"
AGENT = "operations-agent"
"""Interface and agent names in the audit trail."""
ALL_PRICES = frozenset(PriceFamily)
CONFIRM = "confirm"
_OF_AN_APPROVAL = ("id", "operation", "summary", "risk", "expires_at")
Op = Operation[Any, Any]


class RegistryAgentTools:
    """Operations as tools of an agent (implements the control tower's port).

    `beside` names additional operations that are not tools of the server, whose list is limited in size.
    """

    def __init__(self, beside: Sequence[str] = ()) -> None:
        self._operations = lru_cache(maxsize=8)(lambda registry: _operations(registry, beside))
        self._schema = lru_cache(maxsize=1024)(self._listed_schema)

    def listed(self, app: Application, principal: Principal) -> Sequence[tuple[str, str, Mapping[str, Any], bool]]:
        """Return name, description, argument schema and write flag of each allowed tool."""
        operations = {
            name: operation
            for name, operation in self._operations(app.registry).items()
            if check_access(operation, principal, app.modules_missing) is None
        }
        tools = lists.tool_list(app.registry, McpServer.USER)
        told = {each.name: tools.tool(each) for each in tools.listed(filter(tools.operations.get, operations))}
        return [
            (
                name,
                (told[name].description if name in told else None) or operation.description,
                _without_confirm(told[name].input_schema) if name in told else self._schema(app.registry, name),
                operation.effect is Effect.WRITE,
            )
            for name, operation in operations.items()
        ]

    async def call(
        self,
        app: Application,
        principal: Principal,
        name: str,
        arguments: Mapping[str, Any],
        *,
        language: str,
        request_id: str,
        key: str,
        shows_prices: bool,
    ) -> tuple[dict[str, Any], bool]:
        """Return the result of a tool, and whether it is an error.

        A write returns its proposal. Repeating an identical write returns the same proposal.
        """
        operation = self._operations(app.registry)[name]
        writes = operation.effect is Effect.WRITE
        body = codec.encode_json({name: value for name, value in arguments.items() if name != CONFIRM})
        caller = principal if shows_prices or writes else replace(principal, hidden_prices=ALL_PRICES)
        result = await handle_request(
            app,
            OperationRequest(
                operation=operation,
                interface=INTERFACE,
                request_id=request_id,
                body=body,
                principal=caller,
                accept_language=language,
                agent=AGENT,
                approval_from=Risk.LOW,
                idempotency_key=_proposal_key(key, name, body) if writes else None,
            ),
        )
        if result.error is not None:
            return _plain(result.error), True
        return _proposal(result) if writes else _plain(without_nulls(result.answer)), False

    def _listed_schema(self, registry: Registry, name: str) -> dict[str, Any]:
        return listed_arguments(operation_input_schema(self._operations(registry)[name]))


def _operations(registry: Registry, beside: Sequence[str]) -> dict[str, Op]:
    """Return the tools without those that approve proposals."""
    tools = {**lists.tool_list(registry, McpServer.USER).operations}
    tools |= {name: operation for name in beside if (operation := registry.get(name)) is not None}
    return {name: each for name, each in sorted(tools.items()) if Scope.APPROVALS_WRITE not in each.scopes}


def _without_confirm(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Remove `confirm` from the arguments, because the reviewer confirms a proposal."""
    needed = [name for name in schema.get("required", ()) if name != CONFIRM]
    members = {name: part for name, part in schema.get("properties", {}).items() if name != CONFIRM}
    return {**schema, "properties": members, "required": needed}


def _plain(document: Any) -> dict[str, Any]:
    return msgspec.json.decode(remove_hidden_from_utf8(codec.encode_json(document)))


def _proposal(result: OperationResult) -> dict[str, Any]:
    """Summarize a pending proposal.

    The preview is omitted because it is for the reviewer and can contain prices.
    """
    answer = _plain(without_nulls(result.answer))
    approval = answer.get("approval", {})
    told = {name: approval[name] for name in _OF_AN_APPROVAL if name in approval}
    return {"result": True, "queued": True, "message": answer.get("message"), "approval": told}


def _proposal_key(key: str, name: str, body: bytes) -> str:
    # Identical writes share a key, so that a repeated call creates one proposal.
    return f"{key}-{hashlib.sha256(name.encode() + body).hexdigest()[:32]}"
