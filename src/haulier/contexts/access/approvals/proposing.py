"""From the name of a tool and its arguments to a request that may wait for a human."""

from typing import Any

from haulier.contexts.access.approvals.rules import APPROVAL_NOT_A_WRITE, can_wait
from haulier.kernel import codec
from haulier.kernel.call import Call
from haulier.kernel.declarations import Effect
from haulier.kernel.errors import CANNOT_WAIT, INVALID_REQUEST, UNKNOWN_OPERATION, Fault, Refusal
from haulier.kernel.operation import Mcp, Operation, Request
from haulier.kernel.registry import Registry
from haulier.kernel.steps.authorise import refusal as why_not

Op = Operation[Any, Any]


def named(call: Call, tool: str) -> Op:
    """The write behind the name of a tool or an operation, which the caller may call.

    Raises `UNKNOWN_OPERATION`, `APPROVAL_NOT_A_WRITE`, `CANNOT_WAIT`, or why the caller may not.
    """
    operation = _by_tool(call.house.registry, tool)
    if operation is None:
        raise UNKNOWN_OPERATION(name=tool)
    if operation.effect is not Effect.WRITE:
        raise APPROVAL_NOT_A_WRITE(operation=operation.name)
    if refusal := why_not(operation, call.principal, call.house.modules_missing):
        raise refusal
    may_wait(operation)
    if call.actor is None:  # a key without a user: nobody whose rights could be asked about later
        raise CANNOT_WAIT(operation=operation.name)
    return operation


def may_wait(operation: Op) -> None:
    """Raises `CANNOT_WAIT` for a write that must not be kept or shown."""
    if not can_wait(operation):
        raise CANNOT_WAIT(operation=operation.name)


def asked_of(operation: Op, arguments: dict[str, Any]) -> Request:
    """The arguments as the operation's request. Raises `INVALID_REQUEST` with every fault below `arguments`."""
    given = {name: value for name, value in arguments.items() if name != "confirm" or not operation.confirm}
    try:
        return codec.read_values(operation.request, given)
    except Refusal as refusal:
        faults = [Fault(f"arguments.{fault.field}", fault.code, fault.params) for fault in refusal.faults]
        raise INVALID_REQUEST.at(*faults) from None


def _by_tool(registry: Registry, name: str) -> Op | None:
    tools = {tool.name: operation for tool, operation in registry.at(Mcp)}
    return tools.get(name) or registry.get(name)
