"""Request headers that describe a call, shared by all HTTP interfaces."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from haulier.kernel.http.conditional_requests import Preconditions
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Risk, Scope
from haulier.kernel.operations.errors import FieldError, declare_error
from haulier.kernel.operations.scope_profiles import get_profile_scopes, parse_scopes
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.values.ids import make_request_id

_RELEVANT_HEADERS = {
    b"authorization",
    b"accept-language",
    b"idempotency-key",
    b"x-request-id",
    b"content-type",
    b"content-length",
    b"x-dry-run",
    b"x-mcp-dry-run",
    b"x-require-approval",
    b"x-mcp-require-approval",
    b"x-mcp-profile",
    b"x-mcp-scopes",
    b"x-mcp-detail",
    b"x-mcp-tools",
    b"accept",
    b"if-none-match",
    b"if-modified-since",
    b"last-event-id",
    b"user-agent",
}
_SHOWN_HEADER_MAX = 100
_REPRESENTATION_HEADERS = {b"accept", b"if-none-match", b"if-modified-since", b"user-agent"}
"""Headers that do not affect call options."""
FALSE_SWITCH_VALUES = {"", "0", "false", "no", "off"}
"""Values that turn a switch off. Any other value turns it on, so that a misspelled value of `X-Dry-Run` never carries
out the write."""

_APPROVAL_HEADERS = {b"x-mcp-require-approval": "X-MCP-Require-Approval", b"x-require-approval": "X-Require-Approval"}
"""Headers that require approval of writes, with their names in error messages."""
_RISK_BY_APPROVAL_VALUE = {
    **dict.fromkeys(("1", "true", "yes", "on", "high"), Risk.HIGH),
    "medium": Risk.MEDIUM,
    "all": Risk.LOW,
}
"""Lowest risk that requires approval, by header value."""
UNKNOWN_APPROVAL_VALUE = declare_error("unknown_approval_value", 422)
UNKNOWN_APPROVAL_HEADER = declare_error("unknown_approval_header", 422)


class RequestHeaders:
    """The headers of one request that the application uses."""

    __slots__ = ("_values", "address", "request_id")

    def __init__(self, values: dict[bytes, str], address: str | None) -> None:
        self._values = values
        self.address = address
        self.request_id = make_request_id(values.get(b"x-request-id"))

    @classmethod
    def of(cls, scope: Mapping[str, Any]) -> "RequestHeaders":
        """Read the headers from an ASGI scope. The last of repeated headers applies."""
        values = {
            name: value.decode("latin-1")
            for name, value in scope["headers"]
            if name in _RELEVANT_HEADERS or _is_about_approval(name)
        }
        client = scope.get("client")
        return cls(values, client[0] if client else None)

    @property
    def accept_language(self) -> str | None:
        """Accept-Language, as sent."""
        return self._values.get(b"accept-language")

    @property
    def accept(self) -> str | None:
        """Accept, as sent."""
        return self._values.get(b"accept")

    @property
    def agent(self) -> str | None:
        """User-Agent, as sent."""
        return self._values.get(b"user-agent")

    @property
    def last_event_id(self) -> str | None:
        """Id after which a live stream continues."""
        return self._values.get(b"last-event-id")

    def preconditions(self, form: str) -> Preconditions | None:
        """Return the conditions of a request, or None.

        `form` is the requested representation.
        """
        etag, since = self._values.get(b"if-none-match"), self._values.get(b"if-modified-since")
        return Preconditions(etag, since, form) if etag or since or form else None

    @property
    def content_type(self) -> str:
        """Media type of the body, without parameters."""
        return self._values.get(b"content-type", "").partition(";")[0].strip().lower()

    @property
    def full_content_type(self) -> str:
        """Media type of the body with its parameters, as sent."""
        return self._values.get(b"content-type", "")

    @property
    def content_length(self) -> int:
        """Content-Length in bytes; 0 when it is missing or invalid."""
        text = self._values.get(b"content-length", "0")
        return int(text) if text.isdecimal() and len(text) < 19 else 0

    @property
    def token(self) -> str | None:
        """Bearer token."""
        scheme, _, token = self._values.get(b"authorization", "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" and token.strip() else None

    def read_token_of(self, scope: Mapping[str, Any], header: str) -> None:
        """Take the token from another header if `Authorization` has none."""
        if self.token is None and (token := dict(scope["headers"]).get(header.lower().encode())):
            self._values[b"authorization"] = f"Bearer {token.decode('latin-1')}"

    def read_token_of_query(self, scope: Mapping[str, Any], parameter: str) -> None:
        """Take the token from a query parameter if no header has one."""
        query = parse_qs(scope["query_string"].decode("latin-1")) if self.token is None else {}
        if token := query.get(parameter, [""])[0].strip():
            self._values[b"authorization"] = f"Bearer {token}"

    @property
    def dry_run(self) -> bool:
        """True for a dry run. `X-Dry-Run` and `X-MCP-Dry-Run` are equivalent."""
        return self._is_switched_on(b"x-mcp-dry-run") or self._is_switched_on(b"x-dry-run")

    @property
    def full_detail(self) -> bool:
        """True if an agent requests every changed record of a preview."""
        return self._values.get(b"x-mcp-detail", "").strip().lower() == "full"

    @property
    def searches_tools(self) -> bool:
        """True if an agent finds tools by search instead of reading a full list."""
        return self._values.get(b"x-mcp-tools", "").strip().lower() == "search"

    @property
    def approval_from(self) -> Risk | None:
        """Lowest risk of a write that requires approval, or None.

        The stricter of both headers applies. Raises `UNKNOWN_APPROVAL_VALUE`, and `UNKNOWN_APPROVAL_HEADER` for a
        header with a similar name.
        """
        # Reject misspelled headers: otherwise writes that should wait are carried out.
        sent = list(filter(_is_about_approval, self._values))
        for name in sent:
            if name not in _APPROVAL_HEADERS:
                header = name.decode("latin-1")[:60]
                fault = FieldError(header, UNKNOWN_APPROVAL_HEADER.id, {"header": header})
                raise UNKNOWN_APPROVAL_HEADER.for_fields(fault, header=header)
        risks = [self._approval_risk(name) for name in sent]
        return min((risk for risk in risks if risk), key=list(Risk).index, default=None)

    def _approval_risk(self, header: bytes) -> Risk | None:
        value = self._values.get(header, "").strip().lower()
        if value in FALSE_SWITCH_VALUES:
            return None
        if value not in _RISK_BY_APPROVAL_VALUE:
            expected = ", ".join(sorted(_RISK_BY_APPROVAL_VALUE.keys() | FALSE_SWITCH_VALUES - {""}))
            fault = FieldError(_APPROVAL_HEADERS[header], "field.enum", {"expected": expected})
            raise UNKNOWN_APPROVAL_VALUE.for_fields(fault, value=value[:60])
        return _RISK_BY_APPROVAL_VALUE[value]

    def _is_switched_on(self, switch: bytes) -> bool:
        return self._values.get(switch, "").strip().lower() not in FALSE_SWITCH_VALUES

    @property
    def narrow_to(self) -> frozenset[Scope] | None:
        """Scopes to which the connection limits itself, or None.

        Read from `X-MCP-Scopes`, otherwise from `X-MCP-Profile`. Raises `UNKNOWN_SCOPE` or `UNKNOWN_PROFILE`.
        """
        if (scopes := self._values.get(b"x-mcp-scopes")) is not None:
            return parse_scopes(scopes)
        profile = self._values.get(b"x-mcp-profile")
        return get_profile_scopes(profile.strip(), "X-MCP-Profile") if profile else None

    @property
    def narrowed_by(self) -> str | None:
        """The header that limits the scopes, as sent, or None."""
        for name in ("X-MCP-Scopes", "X-MCP-Profile"):
            if (value := self._values.get(name.lower().encode())) is not None:
                return f"{name}: {value[:_SHOWN_HEADER_MAX]}"
        return None

    def operation_request(self, operation: Operation[Any, Any], interface: str, **fields: Any) -> OperationRequest:
        """Return the request for an operation that these headers describe."""
        details = (
            fields if self._values.keys() <= _REPRESENTATION_HEADERS else {**self._call_options(), **fields}
        )  # most reads send no other headers
        mine = {"request_id": self.request_id, "address": self.address, "agent": self.agent}
        return OperationRequest(operation=operation, interface=interface, **mine, **details)

    def _call_options(self) -> dict[str, Any]:
        values = self._values
        narrow = self.narrow_to if b"x-mcp-scopes" in values or b"x-mcp-profile" in values else None
        return {
            "token": self.token if b"authorization" in values else None,
            "accept_language": values.get(b"accept-language"),
            "idempotency_key": values.get(b"idempotency-key"),
            "dry_run": self.dry_run,
            "approval_from": self.approval_from,
            "narrow_to": narrow,
            "narrowed_by": self.narrowed_by if narrow is not None else None,
        }


def _is_about_approval(header: bytes) -> bool:
    return header.startswith(b"x-") and b"approval" in header
