"""From the name of a tool and its arguments to a request that may wait for a human."""

from typing import Any

from haulier.contexts.control_tower.approvals.rules.lifecycle import APPROVAL_NOT_A_WRITE, can_wait_for_approval
from haulier.kernel.call import Call
from haulier.kernel.operations import codec
from haulier.kernel.operations.declaration import Operation, Request
from haulier.kernel.operations.enums import Effect
from haulier.kernel.operations.errors import CANNOT_WAIT, INVALID_REQUEST, FieldError, OperationError
from haulier.kernel.operations.near_names import find_operation
from haulier.kernel.pipeline.authorise import check_access

Op = Operation[Any, Any]


def get_proposable_write(call: Call, tool: str) -> Op:
    """The write behind the name of a tool or an operation, which the caller may call.

    Raises `UNKNOWN_OPERATION`, `APPROVAL_NOT_A_WRITE`, `CANNOT_WAIT`, or why the caller may not.
    """
    operation = find_operation(call.app.registry, tool)
    if operation.effect is not Effect.WRITE:
        raise APPROVAL_NOT_A_WRITE(operation=operation.name)
    if error := check_access(operation, call.principal, call.app.modules_missing):
        raise error
    require_can_wait(operation)
    if call.actor is None:  # a key without a user: nobody whose rights could be asked about later
        raise CANNOT_WAIT(operation=operation.name)
    return operation


def require_can_wait(operation: Op) -> None:
    """Raises `CANNOT_WAIT` for a write that must not be kept or shown."""
    if not can_wait_for_approval(operation):
        raise CANNOT_WAIT(operation=operation.name)


def parse_arguments(operation: Op, arguments: dict[str, Any]) -> Request:
    """The arguments as the operation's request. Raises `INVALID_REQUEST` with every fault below `arguments`."""
    values = {name: value for name, value in arguments.items() if name != "confirm" or not operation.confirm}
    try:
        return codec.parse_request_values(operation.request, values)
    except OperationError as error:
        field_errors = [
            FieldError(f"arguments.{field_error.field}", field_error.code, field_error.params)
            for field_error in error.field_errors
        ]
        raise INVALID_REQUEST.for_fields(*field_errors) from None
