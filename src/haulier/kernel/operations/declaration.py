"""Operations: typed async functions that each do one thing a user can request.

`@reads` and `@writes` turn a function into a frozen `Operation`. The declaration gives the audience, the interfaces
and the risk; the signature gives request and answer; the docstring is the published description. An incomplete
declaration fails at import.
"""

import inspect
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import Annotated, Any, ClassVar, Generic, TypeVar, get_type_hints

from msgspec import Struct
from pydantic import ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from haulier.kernel.operations.answers import Answer
from haulier.kernel.operations.caching import Cached, Http
from haulier.kernel.operations.deprecation import Deprecation
from haulier.kernel.operations.enums import Account, Area, Effect, Feature, McpServer, Module, Risk, Scope
from haulier.kernel.operations.errors import ErrorType
from haulier.kernel.operations.field_docs import DocumentedModel
from haulier.kernel.operations.wanted_values import Wanted, says_all

Req = TypeVar("Req", bound="Request")
Ans = TypeVar("Ans", bound=Answer)
Handler = Callable[[Any, Req], Awaitable[Ans]]
"""`async (call: Call, request) -> answer`. Untyped, because a call holds the application, which holds its operations.
"""


class Request(DocumentedModel):
    """The request of an operation.

    Unknown fields are errors, and all field errors are reported at once.
    """

    # Models are built on first use: building all 700 at the start took a tenth of it (docs/decisions/performance.md).
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)
    raw_text_fields: ClassVar[frozenset[str]] = frozenset()
    """Fields whose text may contain characters that no database can store, because the operation checks them."""
    judged_rows: ClassVar[frozenset[str]] = frozenset()
    """Fields whose rows are validated one by one; see `rows.py`."""
    is_document: ClassVar[bool] = False
    """True if the operation reads the body itself."""


class EmptyRequest(Request):
    """A request without fields."""


class DocumentRequest(Request):
    """A request whose body is a document that the operation reads itself. REST only.

    A subclass declares the accepted media types. Other fields come from the path, query and headers. The body is
    neither validated nor recorded in the audit trail.
    """

    is_document: ClassVar[bool] = True
    media_types: ClassVar[Mapping[str, Mapping[str, Any]]] = {"application/json": {}}
    """Accepted media types with the JSON Schema of the document, or an empty one.

    The `title` of a schema is its name in the OpenAPI description.
    """

    document: Annotated[SkipJsonSchema[bytes], Field(exclude=True, repr=False)] = b""
    """The body."""
    content_type: SkipJsonSchema[str] = Field(default="", max_length=100)
    """Its media type without parameters; empty when the caller named none."""


class Representation(Struct, frozen=True):
    """A form of an answer that a media type selects.

    It sets `value` in a field of the request.

    Representations with the same media type are distinguished by the `profile` parameter (RFC 6906).
    """

    media_type: str
    value: str
    profiles: tuple[str, ...] = ()


class Representations(Struct, frozen=True):
    """The forms of an answer.

    If an Accept header selects one, only the member `data_field` is sent.

    `field` is the request field for the form; in the query it takes precedence, and the whole answer is sent. If the
    answer decides its form, `media_type_field` is the member with the media type, and `data_field` is base64.
    """

    options: tuple[Representation, ...]
    field: str = "format"
    data_field: str = "data"
    media_type_field: str | None = None


class EventStream(Struct, frozen=True):
    """A list that continues by `cursor`, as a stream that pushes new records.

    Writers send notices on `channel`. Their payload names values of the request's field `by`, separated by spaces, or
    is `*`. `records` is the list in the answer. `fixed` are fields that the stream requires, such as its order.
    `notice_value` is as in `InvalidatedBy`. With `of_client`, notices also name the client (`client_subject`).
    """

    path: str
    channel: str
    by: str
    records: str
    fixed: Mapping[str, str] = {}
    notice_value: Callable[[str], str] = str
    of_client: bool = False


class Rest(Struct, frozen=True):
    """A REST binding. `path` is relative to /api; names in braces are request fields.

    For GET and DELETE, the other fields are query parameters; otherwise they form the JSON body, except those in
    `query`. If the whole body is one field, `body` names it. `headers` maps fields to headers. `token_header` and
    `token_query` carry the token of senders that cannot set `Authorization`. `area` is only set if it differs from
    that of the family.
    """

    method: str
    path: str
    status: int = 200
    query: tuple[str, ...] = ()
    body: str | None = None
    headers: Mapping[str, str] = {}
    token_header: str | None = None
    token_query: str | None = None
    representations: Representations | None = None
    event_stream: EventStream | None = None
    area: Area | None = None


class GraphQL(Struct, frozen=True):
    """A GraphQL field: on Query for reads, on Mutation for writes."""

    name: str


class Mcp(Struct, frozen=True):
    """A tool of the MCP servers."""

    name: str
    servers: frozenset[McpServer] = frozenset({McpServer.USER})
    title: str | None = None


Interface = Rest | GraphQL | Mcp


class RateLimit(Struct, frozen=True):
    """At most `times` calls in `seconds`, counted by network, user or request fields.

    `address` in `by` means the network: all addresses of an IPv6 prefix count as one caller (`CallerNetwork`).

    Limits of writes are always exact across nodes. Reads use `exact` where it matters, such as against guessing. With
    `failures`, only calls that end in a declared error count, such as a wrong code.
    """

    times: int
    seconds: int
    by: tuple[str, ...] = ("address",)
    exact: bool = False
    failures: bool = False


_LIST_FIELDS = frozenset({"per_page", "next_cursor"})
"""An answer with one of these fields is a page of a list."""


class IncompleteDeclaration(TypeError):
    """Raised at import for an invalid declaration."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Operation(Generic[Req, Ans]):
    """One operation with its complete declaration.

    Interfaces, documentation and tests are derived from it.

    `replayable` is false if the answer is a secret: it is not stored, and a repeat with the same Idempotency-Key gets
    409.

    `prepare(context, request)` does slow work before the unit of work is opened, such as hashing a password, so that
    it does not block the database's writer. Its result is `call.prepared`. `context` is a `RequestContext`.

    `after_commit(context, request, answer)` runs after the commit without a unit of work, such as a request to another
    server that the transaction claimed. It also runs for repeats with an Idempotency-Key, and its result is the
    answer. It must be safe to repeat and to miss: it does not run for approved writes or after a disconnect, so a job
    must do the same. It never runs in a dry run.

    `http` declares the HTTP caching of a read, and `replica` if a database replica may serve it. By default, replicas
    serve lists and cacheable answers.

    `cached` caches the answers of a read in memory per caller in the REST API, until data of the client is written.

    `audited` records a read in the audit trail, such as one of another business's records. It runs in a write
    transaction on the primary, and the entry is committed before the answer is sent, in a dry run too. `unaudited` is
    the reason why a write has no entry, such as frequent reports of machines without an account.

    `reversed_by` names the write that reverts this one with the same fields, or itself with the previous values.
    `available_when` lists the values of a record that permit the write, such as the statuses of its life cycle: a
    value or set per member, or `PRESENT` for any value. For a list member, one of its items must match, as in
    `{"allowed_actions": "hold"}`. Pages use it to offer actions; the write itself still checks.
    `on_invalid_token(context, token)` is called for an invalid token before the error is raised.

    `deprecations` of the operation or of fields appear in every description and in the headers of its responses. A
    deprecated field has `json_schema_extra={"deprecated": True}`.
    """

    name: str
    effect: Effect
    handler: Handler[Req, Ans]
    request: type[Req]
    answer: type[Ans]
    description: str
    audience: frozenset[Account]
    interfaces: tuple[Interface, ...]
    scopes: frozenset[Scope] = frozenset()
    risk: Risk = Risk.LOW
    confirm: bool = False
    module: Module | None = None
    feature: Feature | None = None
    limits: tuple[RateLimit, ...] = ()
    errors: tuple[ErrorType, ...] = ()
    body_limit_bytes: int = 1_048_576
    replayable: bool = True
    http: Http | None = None
    cached: Cached | None = None
    replica: bool | None = None
    audited: bool = False
    unaudited: str = ""
    prepare: Callable[[Any, Any], Awaitable[Any]] | None = None
    after_commit: Callable[[Any, Any, Any], Awaitable[Any]] | None = None
    on_invalid_token: Callable[[Any, str], Awaitable[None]] | None = None
    reversed_by: str = ""
    available_when: Mapping[str, Wanted] = field(default_factory=dict[str, Wanted])
    since: str = "0.1.0"
    deprecations: tuple[Deprecation, ...] = ()
    examples: Mapping[str, Any] = field(default_factory=dict[str, Any])

    async def __call__(self, call: Any, request: Req) -> Ans:
        """Run only the handler, without the pipeline.

        Used by operations that build on another.
        """
        return await self.handler(call, request)

    def is_allowed_by(self, record: Mapping[str, Any]) -> bool:
        """Return True if a record currently permits this operation.

        Missing members permit it.
        """
        return says_all(record, self.available_when)

    def find_deprecations(self, used: Iterable[str] = ()) -> tuple[Deprecation, ...]:
        """Return the deprecations that a request with these fields meets."""
        return tuple(each for each in self.deprecations if each.concerns(used))

    @property
    def deprecation(self) -> Deprecation | None:
        """The deprecation of the whole operation, or None."""
        return next(iter(self.find_deprecations()), None)

    @property
    def summary(self) -> str:
        """The first sentence of the docstring."""
        said: list[str] = []
        for line in self.description.partition("\n\n")[0].splitlines():
            said.append(line)
            if line.endswith("."):
                break
        return " ".join(said)

    @cached_property
    def public(self) -> bool:
        """True if it can be called without a token."""
        return Account.PUBLIC in self.audience

    @cached_property
    def may_read_replica(self) -> bool:
        """True if a replica of the database may serve it."""
        if self.effect is Effect.WRITE or self.audited or self.replica is not None:
            return bool(self.replica)
        return self.http is not None or not _LIST_FIELDS.isdisjoint(self.answer.__struct_fields__)

    @cached_property
    def is_document_operation(self) -> bool:
        """True if its request is a `DocumentRequest`."""
        return self.request.is_document

    @property
    def context(self) -> str:
        """The context that contains the operation: `orders` in `haulier.contexts.orders`."""
        parts = self.handler.__module__.split(".")
        return parts[2] if parts[:2] == ["haulier", "contexts"] else parts[-1]

    @property
    def area(self) -> Area | None:
        """The area of its family: `AREA` of the family's package. None outside contexts."""
        return getattr(self._family_package, "AREA", None)

    @property
    def family_summary(self) -> str:
        """Summary of its family: the first line of the package docstring.

        Empty outside contexts.
        """
        return (getattr(self._family_package, "__doc__", None) or "").partition("\n")[0]

    @cached_property
    def product_module(self) -> Module | None:
        """The module of its family or context (`MODULE`). None in the core."""
        return getattr(self._family_package, "MODULE", None) or getattr(self._package(3), "MODULE", None)

    @property
    def _family_package(self) -> ModuleType | None:
        return self._package(4)

    def _package(self, depth: int) -> ModuleType | None:
        parts = self.handler.__module__.split(".")
        return sys.modules.get(".".join(parts[:depth])) if parts[:2] == ["haulier", "contexts"] else None

    @property
    def family(self) -> str:
        """The family that contains the operation."""
        parts = self.handler.__module__.split(".")
        return parts[3] if parts[:2] == ["haulier", "contexts"] and len(parts) > 3 else parts[-1]


Declare = Callable[[Handler[Req, Ans]], Operation[Req, Ans]]


def reads(
    name: str, *, audience: Iterable[Account], interfaces: tuple[Interface, ...], **options: Any
) -> Declare[Req, Ans]:
    """Declare an operation without side effects.

    `options` are other fields of `Operation`.
    """
    return _declare_operation(name, Effect.READ, audience, interfaces, options)


def writes(
    name: str, *, audience: Iterable[Account], interfaces: tuple[Interface, ...], **options: Any
) -> Declare[Req, Ans]:
    """Declare an operation that changes data.

    It needs a scope unless only the public may call it.
    """
    return _declare_operation(name, Effect.WRITE, audience, interfaces, options)


def _declare_operation(
    name: str, effect: Effect, audience: Iterable[Account], interfaces: tuple[Interface, ...], options: dict[str, Any]
) -> Declare[Any, Any]:
    def declare(handler: Handler[Any, Any]) -> Operation[Any, Any]:
        request, answer = _read_signature(name, handler)
        options["scopes"] = frozenset(options.get("scopes", ()))
        operation = Operation[Any, Any](
            name=name,
            effect=effect,
            handler=handler,
            request=request,
            answer=answer,
            description=inspect.cleandoc(handler.__doc__ or ""),
            audience=frozenset(audience),
            interfaces=interfaces,
            **options,
        )
        if faults := list(_declaration_faults(operation)):
            raise IncompleteDeclaration(f"operation {name!r}: " + "; ".join(faults))
        return operation

    return declare


def _read_signature(name: str, handler: Handler[Any, Any]) -> tuple[type[Request], type[Answer]]:
    hints = get_type_hints(handler, localns={"Call": object})
    parameters = [parameter for parameter in inspect.signature(handler).parameters if parameter != "call"]
    if len(parameters) != 1 or not {parameters[0], "return"} <= hints.keys():
        raise IncompleteDeclaration(
            f"operation {name!r}: its signature must be (call: Call, request: R) -> A, all typed"
        )
    request, answer = hints[parameters[0]], hints["return"]
    if not (isinstance(request, type) and issubclass(request, Request)):
        raise IncompleteDeclaration(f"operation {name!r}: its request must be a Request")
    if not (isinstance(answer, type) and issubclass(answer, Answer)):
        raise IncompleteDeclaration(f"operation {name!r}: its answer must be an Answer")
    return request, answer


def _deprecation_faults(operation: Operation[Any, Any]) -> Iterable[str]:
    marked = {
        name
        for name, about in operation.request.model_fields.items()
        if isinstance(about.json_schema_extra, dict) and about.json_schema_extra.get("deprecated")
    }
    for name in sorted(frozenset[str]().union(*(each.fields for each in operation.deprecations)) - marked):
        yield f'its deprecated field {name!r} needs json_schema_extra={{"deprecated": True}}'


def _declaration_faults(operation: Operation[Any, Any]) -> Iterable[str]:
    if not operation.name.isidentifier() or not operation.name.islower():
        yield "its name must be lower_snake_case"
    if not operation.description:
        yield "it has no docstring"
    if not operation.audience:
        yield "its audience is empty (use PUBLIC if anyone may call it)"
    yield from _write_faults(operation) if operation.effect is Effect.WRITE else _read_faults(operation)
    if operation.public and operation.scopes:
        yield "it is public, so it cannot require a scope"
    yield from _deprecation_faults(operation)
    if not operation.interfaces:
        yield "it has no interface"
    for interface in operation.interfaces:
        if isinstance(interface, Rest):
            yield from _binding_faults(operation, interface)
        elif operation.is_document_operation:
            yield f"its request is a document, which {interface} cannot carry"


def _write_faults(operation: Operation[Any, Any]) -> Iterable[str]:
    if not operation.scopes and operation.audience != frozenset({Account.PUBLIC}):
        yield "a write needs a scope"
    if operation.replica:
        yield "a replica cannot serve writes"
    if operation.cached:
        yield "only answers of reads can be cached"
    if operation.audited:
        yield "`audited` is for reads: writes are always audited"
    if operation.unaudited and operation.audience != frozenset({Account.PUBLIC}):
        yield "writes by authenticated callers must be audited"


def _read_faults(operation: Operation[Any, Any]) -> Iterable[str]:
    if operation.audited and (operation.public or operation.http or operation.replica):
        yield "a public read, or one served by HTTP caches or replicas, cannot be audited"
    if operation.cached:
        if not operation.cached.accounts <= operation.audience - {Account.PUBLIC}:
            yield "answers can only be cached for authenticated callers in the audience"
        if operation.http or operation.audited or operation.limits or operation.prepare or operation.after_commit:
            yield "a cached read cannot have HTTP caching, audit, limits, prepare or conclude"


def _binding_faults(operation: Operation[Any, Any], interface: Rest) -> Iterable[str]:
    fields = {info.alias or name for name, info in operation.request.model_fields.items()}
    named = [part[1:-1] for part in interface.path.split("/") if part.startswith("{")]
    for name in (*named, *interface.query, *interface.headers, *([interface.body] if interface.body else ())):
        if name not in fields:
            yield f"{interface.path} names {name!r}, which is not a field of the request"
