"""One HTTP request at the door, whichever way it goes inside."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from starlette.types import Scope

from haulier.doors.headers import Headers
from haulier.doors.mcp.challenge import Challenge
from haulier.kernel.declarations import Server
from haulier.kernel.errors import Refusal
from haulier.kernel.house import House
from haulier.kernel.languages import negotiate
from haulier.kernel.rendering import error_body


@dataclass
class Visit:
    """Where it came to, what its headers say, and what its answer asks of the caller besides the body."""

    house: House
    server: Server
    headers: Headers
    challenge: Challenge

    @classmethod
    def of(cls, house: House, server: Server, scope: Scope) -> "Visit":
        """Read it from an ASGI scope."""
        headers = Headers.of(scope)
        return cls(house, server, headers, Challenge(house.base_url, scope["path"], headers.token))

    @cached_property
    def language(self) -> str:
        """What it is answered in."""
        return negotiate(self.headers.accept_language)

    def body(self, refusal: Refusal) -> dict[str, Any]:
        """The error body of a refusal, in the caller's language."""
        return error_body(refusal, self.house.catalogues, self.language, self.headers.request_id)

    def fault(self, refusal: Refusal) -> MCPError:
        """A fault of the protocol rather than of a call: nothing ran, so there is no result to carry it."""
        body = self.body(refusal)
        return MCPError(code=types.INVALID_PARAMS, message=body["message"], data=body)
