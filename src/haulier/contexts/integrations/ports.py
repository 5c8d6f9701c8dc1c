"""What integrations need from outside."""

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct

from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.registry import Registry


class WebhookRequest(Struct, frozen=True, kw_only=True):
    """A request to an address that a client gave: headers beside the usual ones, and a JSON document."""

    url: str
    headers: dict[str, str]
    body: bytes


class WebhookResponse(Struct, frozen=True, kw_only=True):
    """The response of a client's server. Without a `status` there was none, and `fault` says why."""

    status: int | None
    latency_ms: int
    text: str = ""
    """The beginning of the body."""
    fault: str | None = None
    """address_refused, name_unknown, unreachable, no_tls, timeout or broken_off. Of an address that is not public:
    unreachable, whatever went wrong there."""
    retry_after_s: int | None = None
    """How long it asks to wait, by Retry-After."""


class WebhookSender(Protocol):
    """Posts documents to addresses that clients gave."""

    @property
    def private(self) -> bool:
        """Whether addresses of private networks, and plain http to them, are allowed here."""
        ...

    async def post(self, request: WebhookRequest) -> WebhookResponse:
        """Post a document, following no redirect. Never raises: whatever goes wrong is a reply with a fault."""
        ...


class SecretSealer(Protocol):
    """Keeps the secrets that webhooks are signed with."""

    @property
    def encrypts(self) -> bool:
        """Whether they are stored encrypted."""
        ...

    def seal(self, secret: str, about: str) -> str:
        """A secret as it is stored."""
        ...

    def open(self, sealed: str, about: str) -> str | None:
        """The secret; None when it cannot be read any more."""
        ...


class SkillFile(Struct, frozen=True, kw_only=True):
    """The file that teaches an agent to work with this platform."""

    version: str
    hash: str
    text: str
    download_url: str


class PortalDoors(Protocol):
    """The doors, as operations use them."""

    def signatures(self, registry: Registry) -> Mapping[str, str]:
        """Each field of the GraphQL schema by its name: how it is written there, arguments and type."""
        ...

    async def query(
        self, call: Call, text: str, variables: dict[str, Any] | None, operation_name: str | None
    ) -> dict[str, Any]:
        """Run a GraphQL query as the caller and give the body of the response. Raises an `OperationError` for a mutation."""
        ...

    def tool_schemas(self, operation: Operation[Any, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """JSON Schemas of what an operation is asked with and of what it answers, as a tool has them."""
        ...

    def skill(self, app: Application) -> SkillFile:
        """The skill file of this platform."""
        ...
