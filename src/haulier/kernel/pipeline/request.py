"""Input of the pipeline, passed in by an interface."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.kernel.http.conditional_requests import Preconditions
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Effect, McpServer, Risk, Scope
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.principal import Principal


class OperationRequest(Struct, kw_only=True):
    """An operation to run, with its request and the values of the headers."""

    operation: Operation[Any, Any]
    interface: str
    request_id: str
    body: bytes = b""
    body_field: str | None = None
    texts: Mapping[str, Any] = {}
    foreign: Sequence[FieldError] = ()
    """Errors outside the body, such as unknown query parameters. Reported together with field errors."""
    token: str | None = None
    server: McpServer | None = None
    """The MCP server that was called; None for other interfaces."""
    principal: Principal | None = None
    """The caller, if already known (nested calls)."""
    accept_language: str | None = None
    idempotency_key: str | None = None
    address: str | None = None
    agent: str | None = None
    confirmed: bool = True
    dry_run: bool = False
    approval_from: Risk | None = None
    """Lowest risk of a write that must wait for approval; None if no approval is required."""
    narrow_to: frozenset[Scope] | None = None
    narrowed_by: str | None = None
    """Header that narrowed the scopes, as it was sent. Used in error messages."""
    preconditions: Preconditions | None = None

    @property
    def needs_approval(self) -> bool:
        """True if a user must approve this call before it runs."""
        return self._may_wait and self.operation.risk.is_at_least(self.approval_from or Risk.HIGH)

    @property
    def is_below_approval(self) -> bool:
        """True if this write runs immediately and riskier ones would wait for approval."""
        return self._may_wait and not self.needs_approval

    @property
    def _may_wait(self) -> bool:
        return self.approval_from is not None and self.operation.effect is Effect.WRITE and not self.dry_run
