"""What a door hands to the pipeline: which operation, with which request, and what its headers say."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from haulier.kernel.http.conditional_requests import Preconditions
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import McpServer, Risk, Scope
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
    require_approval: bool = False
    narrow_to: frozenset[Scope] | None = None
    narrowed_by: str | None = None
    """The header that narrows the scopes, as it was sent; for the words of a refusal."""
    preconditions: Preconditions | None = None

    @property
    def needs_approval(self) -> bool:
        """Whether a human has to look at this call before it is carried out."""
        return self.require_approval and self.operation.risk is Risk.HIGH and not self.dry_run
