"""Ports of integrations."""

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct

from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.registry import Registry


class WebhookRequest(Struct, frozen=True, kw_only=True):
    """A request to a client's address: additional headers, and a JSON document."""

    url: str
    headers: dict[str, str]
    body: bytes


class WebhookResponse(Struct, frozen=True, kw_only=True):
    """The response of a client's server. Without a `status`, `fault` says why."""

    status: int | None
    latency_ms: int
    text: str = ""
    """The beginning of the body."""
    fault: str | None = None
    """address_refused, name_unknown, unreachable, no_tls, timeout or broken_off. Non-public addresses are always
    unreachable."""
    retry_after_s: int | None = None
    """Requested waiting time in seconds, from Retry-After."""


class WebhookSender(Protocol):
    """Sender of documents to clients' addresses."""

    @property
    def private(self) -> bool:
        """Return True if private network addresses and plain http to them are allowed."""
        ...

    async def post(self, request: WebhookRequest) -> WebhookResponse:
        """Post a document without following redirects.

        Never raises: failures become a response with a fault.
        """
        ...


class SecretSealer(Protocol):
    """Storage of webhook signing secrets."""

    @property
    def encrypts(self) -> bool:
        """Return True if secrets are stored encrypted."""
        ...

    def seal(self, secret: str, about: str) -> str:
        """Return a secret as it is stored."""
        ...

    def open(self, sealed: str, about: str) -> str | None:
        """Return the secret, or None if it is unreadable."""
        ...


class SkillFile(Struct, frozen=True, kw_only=True):
    """The file that teaches an agent to work with this platform."""

    version: str
    hash: str
    text: str
    download_url: str


class PortalInterfaces(Protocol):
    """Interfaces that operations use."""

    def signatures(self, registry: Registry) -> Mapping[str, str]:
        """Return the signature of each GraphQL field by name, with arguments and type."""
        ...

    async def query(
        self, call: Call, text: str, variables: dict[str, Any] | None, operation_name: str | None
    ) -> dict[str, Any]:
        """Run a GraphQL query as the caller and return the response body.

        Raises an `OperationError` for a mutation.
        """
        ...

    def tool_schemas(self, operation: Operation[Any, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the JSON Schemas of an operation's request and response, as a tool."""
        ...

    def skill(self, app: Application) -> SkillFile:
        """Return the skill file of this platform."""
        ...
