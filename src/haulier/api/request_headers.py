"""The headers of a request that describe a call. They are the same at every HTTP door."""

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
    b"accept",
    b"if-none-match",
    b"if-modified-since",
    b"last-event-id",
    b"user-agent",
}
_SHOWN_HEADER_MAX = 100
_REPRESENTATION_HEADERS = {b"accept", b"if-none-match", b"if-modified-since", b"user-agent"}
"""What these say is read elsewhere."""
FALSE_SWITCH_VALUES = {"", "0", "false", "no", "off"}
"""A switch is on unless it says that it is off: who misspells `X-Dry-Run: yes` must not find the write done."""

_APPROVAL_HEADERS = {b"x-mcp-require-approval": "X-MCP-Require-Approval", b"x-require-approval": "X-Require-Approval"}
"""The headers that make writes wait, each with the name under which a refusal tells of it."""
_RISK_BY_APPROVAL_VALUE = {
    **dict.fromkeys(("1", "true", "yes", "on", "high"), Risk.HIGH),
    "medium": Risk.MEDIUM,
    "all": Risk.LOW,
}
"""The lowest risk of a write that waits for a human, by what the header says."""
UNKNOWN_APPROVAL_VALUE = declare_error("unknown_approval_value", 422)
UNKNOWN_APPROVAL_HEADER = declare_error("unknown_approval_header", 422)


class RequestHeaders:
    """The headers of one request that mean something to the application."""

    __slots__ = ("_values", "address", "request_id")

    def __init__(self, values: dict[bytes, str], address: str | None) -> None:
        self._values = values
        self.address = address
        self.request_id = make_request_id(values.get(b"x-request-id"))

    @classmethod
    def of(cls, scope: Mapping[str, Any]) -> "RequestHeaders":
        """Read them from an ASGI scope, in one pass. Of a repeated header the last one counts."""
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
        """The User-Agent, as sent."""
        return self._values.get(b"user-agent")

    @property
    def last_event_id(self) -> str | None:
        """The id after which a live stream continues."""
        return self._values.get(b"last-event-id")

    def preconditions(self, form: str) -> Preconditions | None:
        """The conditions of a conditional request; None without any. `form` is the representation that is asked for."""
        etag, since = self._values.get(b"if-none-match"), self._values.get(b"if-modified-since")
        return Preconditions(etag, since, form) if etag or since or form else None

    @property
    def content_type(self) -> str:
        """The media type of the body, without parameters."""
        return self._values.get(b"content-type", "").partition(";")[0].strip().lower()

    @property
    def full_content_type(self) -> str:
        """The media type of the body with its parameters, as sent."""
        return self._values.get(b"content-type", "")

    @property
    def content_length(self) -> int:
        """The announced size of the body in bytes; 0 when it is missing or invalid."""
        text = self._values.get(b"content-length", "0")
        return int(text) if text.isdecimal() and len(text) < 19 else 0

    @property
    def token(self) -> str | None:
        """The bearer token."""
        scheme, _, token = self._values.get(b"authorization", "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" and token.strip() else None

    def take_token_of(self, scope: Mapping[str, Any], header: str) -> None:
        """Let another header bring the token where `Authorization` brings none."""
        if self.token is None and (token := dict(scope["headers"]).get(header.lower().encode())):
            self._values[b"authorization"] = f"Bearer {token.decode('latin-1')}"

    def take_token_of_query(self, scope: Mapping[str, Any], parameter: str) -> None:
        """Let a query parameter carry the token where no header does."""
        query = parse_qs(scope["query_string"].decode("latin-1")) if self.token is None else {}
        if token := query.get(parameter, [""])[0].strip():
            self._values[b"authorization"] = f"Bearer {token}"

    @property
    def dry_run(self) -> bool:
        """Whether the call is a dry run. `X-Dry-Run` means the same as `X-MCP-Dry-Run`, for the other doors."""
        return self._is_switched_on(b"x-mcp-dry-run") or self._is_switched_on(b"x-dry-run")

    @property
    def full_detail(self) -> bool:
        """Whether an agent wants every changed record of a preview; otherwise it gets them in few words."""
        return self._values.get(b"x-mcp-detail", "").strip().lower() == "full"

    @property
    def approval_from(self) -> Risk | None:
        """The lowest risk of a write that is to wait for a human; None where none is. Of both headers the stricter counts.

        Raises `UNKNOWN_APPROVAL_VALUE`, and `UNKNOWN_APPROVAL_HEADER` for a header that only looks like one of them.
        """
        # Why: a caller who misspells the header believes that writes wait; better refused than done.
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
        """The scopes to which the connection limits itself: `X-MCP-Scopes`, else `X-MCP-Profile`.

        Raises `UNKNOWN_SCOPE` or `UNKNOWN_PROFILE`.
        """
        if (scopes := self._values.get(b"x-mcp-scopes")) is not None:
            return parse_scopes(scopes)
        profile = self._values.get(b"x-mcp-profile")
        return get_profile_scopes(profile.strip(), "X-MCP-Profile") if profile else None

    @property
    def narrowed_by(self) -> str | None:
        """The header that limits the scopes, as it was sent; None without one."""
        for name in ("X-MCP-Scopes", "X-MCP-Profile"):
            if (value := self._values.get(name.lower().encode())) is not None:
                return f"{name}: {value[:_SHOWN_HEADER_MAX]}"
        return None

    def operation_request(self, operation: Operation[Any, Any], interface: str, **fields: Any) -> OperationRequest:
        """A call of an operation, as these headers describe it."""
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
