"""One HTTP request to an MCP server, on the fast path and through the SDK."""

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
    """The server it came to, its headers, and the challenge that its answer carries."""

    app: Application
    server: McpServer
    headers: RequestHeaders
    challenge: AuthChallenge

    @classmethod
    def of(cls, app: Application, server: McpServer, scope: Scope) -> "McpRequest":
        """Read it from an ASGI scope."""
        headers = RequestHeaders.of(scope)
        return cls(app, server, headers, AuthChallenge(app.base_url, scope["path"], headers.token))

    @cached_property
    def language(self) -> str:
        """The language of the answer."""
        return negotiate_language(self.headers.accept_language)

    def named_headers(self) -> tuple[tuple[bytes, bytes], ...]:
        """What every answer tells in its headers: which request it is of, and its language."""
        return (b"x-request-id", self.headers.request_id.encode()), (b"content-language", self.language.encode())

    def body(self, error: OperationError) -> dict[str, Any]:
        """The error body, in the caller's language."""
        return render_error(error, self.app.catalogues, self.language, self.headers.request_id)

    def protocol_error(self, error: OperationError) -> MCPError:
        """An error of the protocol rather than of a call: nothing ran, so there is no result to carry it."""
        body = self.body(error)
        return MCPError(code=types.INVALID_PARAMS, message=body["message"], data=body)
