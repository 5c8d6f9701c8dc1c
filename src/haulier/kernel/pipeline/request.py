"""What a door hands to the pipeline: which operation, with which request, and what its headers say."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.kernel.http.conditional_requests import Preconditions
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Effect, McpServer, Risk, Scope
from haulier.kernel.operations.errors import FieldError
from haulier.kernel.principal import Principal


class OperationRequest(Struct, kw_only=True):
    """What a door hands in: which operation, with which request, and what its headers say."""

    operation: Operation[Any, Any]
    door: str
    request_id: str
    body: bytes = b""
    body_field: str | None = None
    texts: Mapping[str, Any] = {}
    foreign: Sequence[FieldError] = ()
    """Faults beside the request that the door found, such as an unknown query parameter; reported with those of its fields."""
    token: str | None = None
    server: McpServer | None = None
    """The MCP server that was called; None at the other doors."""
    principal: Principal | None = None
    """The caller, where it is known already: in a call inside a call."""
    accept_language: str | None = None
    idempotency_key: str | None = None
    address: str | None = None
    agent: str | None = None
    confirmed: bool = True
    dry_run: bool = False
    approval_from: Risk | None = None
    """The lowest risk of a write that is to wait for a human; None where none is."""
    narrow_to: frozenset[Scope] | None = None
    narrowed_by: str | None = None
    """The header that narrows the scopes, as it was sent; for the words of a refusal."""
    preconditions: Preconditions | None = None

    @property
    def needs_approval(self) -> bool:
        """Whether a human has to look at this call before it is carried out."""
        return self._may_wait and self.operation.risk.is_at_least(self.approval_from or Risk.HIGH)

    @property
    def is_below_approval(self) -> bool:
        """Whether this write is carried out at once although the caller asked that others wait."""
        return self._may_wait and not self.needs_approval

    @property
    def _may_wait(self) -> bool:
        return self.approval_from is not None and self.operation.effect is Effect.WRITE and not self.dry_run
