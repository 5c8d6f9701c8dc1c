"""HTTP request to an MCP server, for the fast path and the SDK."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from starlette.types import Scope

from haulier.api.mcp.auth_challenge import AuthChallenge
from haulier.api.request_headers import RequestHeaders
from haulier.kernel.application import Application
from haulier.kernel.i18n.languages import negotiate_language
from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.error_rendering import render_error
from haulier.kernel.operations.errors import OperationError


@dataclass
class McpRequest:
    """The server, headers and authentication challenge of a request."""

    app: Application
    server: McpServer
    headers: RequestHeaders
    challenge: AuthChallenge

    @classmethod
    def of(cls, app: Application, server: McpServer, scope: Scope) -> "McpRequest":
        """Create from an ASGI scope."""
        headers = RequestHeaders.of(scope)
        return cls(app, server, headers, AuthChallenge(app.base_url, scope["path"], headers.token))

    @cached_property
    def language(self) -> str:
        """Language of the answer."""
        return negotiate_language(self.headers.accept_language)

    def named_headers(self) -> tuple[tuple[bytes, bytes], ...]:
        """Return the headers with the request id and the language."""
        return (b"x-request-id", self.headers.request_id.encode()), (b"content-language", self.language.encode())

    def body(self, error: OperationError) -> dict[str, Any]:
        """Return an error body in the caller's language."""
        return render_error(error, self.app.catalogues, self.language, self.headers.request_id)

    def protocol_error(self, error: OperationError) -> MCPError:
        """Return an error as a protocol error.

        Used if nothing ran, so that there is no tool result.
        """
        body = self.body(error)
        return MCPError(code=types.INVALID_PARAMS, message=body["message"], data=body)
