"""The answer to the kernel's `Approvals` port: what runs instead of a write that has to wait for a human."""

import msgspec

from haulier.contexts.access.approvals.contract import ProposeWrite
from haulier.contexts.access.approvals.operations import propose_write
from haulier.contexts.access.approvals.proposing import Op, may_wait
from haulier.contexts.access.approvals.running import as_asked
from haulier.kernel.operation import Request


class ApprovalGate:
    """Turns a write into the proposal of it."""

    def instead(self, operation: Op, request: Request) -> tuple[Op, Request]:
        """The proposal of this write. Raises `CANNOT_WAIT` for one that must not be kept or shown."""
        may_wait(operation)
        arguments = msgspec.json.decode(as_asked(request))
        return propose_write, ProposeWrite(tool=operation.name, arguments=arguments)
