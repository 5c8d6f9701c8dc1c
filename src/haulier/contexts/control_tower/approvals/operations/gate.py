"""The answer to the kernel's `Approvals` port: what runs instead of a write that has to wait for a human."""

import msgspec

from haulier.contexts.control_tower.approvals.actions.execution import encode_arguments
from haulier.contexts.control_tower.approvals.actions.proposals import Op, require_can_wait
from haulier.contexts.control_tower.approvals.contract import ProposeWrite
from haulier.contexts.control_tower.approvals.operations.approvals import propose_write
from haulier.kernel.operations.declaration import Request


class ApprovalGate:
    """Turns a write into the proposal of it."""

    def to_proposal(self, operation: Op, request: Request) -> tuple[Op, Request]:
        """The proposal of this write; a proposal is its own. Raises `CANNOT_WAIT` for one that must not be kept or shown."""
        if operation is propose_write:
            return operation, request
        require_can_wait(operation)
        arguments = msgspec.json.decode(encode_arguments(request))
        return propose_write, ProposeWrite(tool=operation.name, arguments=arguments)
