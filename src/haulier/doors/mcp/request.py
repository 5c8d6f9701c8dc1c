"""One HTTP request at the door, whichever way it goes inside."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from starlette.types import Scope

from haulier.doors.mcp.auth_challenge import AuthChallenge
from haulier.doors.request_headers import RequestHeaders
from haulier.kernel.application import Application
from haulier.kernel.i18n.languages import negotiate_language
from haulier.kernel.operations.enums import McpServer
from haulier.kernel.operations.error_rendering import render_error
from haulier.kernel.operations.errors import OperationError


@dataclass
class McpRequest:
    """Where it came to, what its headers say, and what its answer asks of the caller besides the body."""

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
        """What it is answered in."""
        return negotiate_language(self.headers.accept_language)

    def body(self, refusal: OperationError) -> dict[str, Any]:
        """The error body of a refusal, in the caller's language."""
        return render_error(refusal, self.app.catalogues, self.language, self.headers.request_id)

    def fault(self, refusal: OperationError) -> MCPError:
        """A fault of the protocol rather than of a call: nothing ran, so there is no result to carry it."""
        body = self.body(refusal)
        return MCPError(code=types.INVALID_PARAMS, message=body["message"], data=body)
