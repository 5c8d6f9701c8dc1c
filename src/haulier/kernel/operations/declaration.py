"""An operation: one typed async function that does one thing a user can ask for.

`@reads` and `@writes` turn a function into a frozen `Operation`. The declaration says who may call, through which interfaces
and at what risk; the signature says what goes in and out; the docstring is what users and agents read. A declaration that is
incomplete is refused at import, so no half-declared operation can ever be served.
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
from haulier.kernel.operations.caching import Http, Kept
from haulier.kernel.operations.enums import Account, Area, Effect, Feature, McpServer, Module, Risk, Scope
from haulier.kernel.operations.errors import ErrorType
from haulier.kernel.operations.field_docs import DocumentedModel
from haulier.kernel.operations.wanted_values import Wanted, says_all

Req = TypeVar("Req", bound="Request")
Ans = TypeVar("Ans", bound=Answer)
Handler = Callable[[Any, Req], Awaitable[Ans]]
"""`async (call: Call, request) -> answer`; not typed so, because a call holds the application, which holds its operations."""


class Request(DocumentedModel):
    """The request of an operation. Every field error is reported at once; an unknown field is one."""

    # Why: a process that serves seldom meets all of some 700 requests; what a start built of them was a tenth of it
    # (docs/decisions/performance.md).
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)
    raw_text_fields: ClassVar[frozenset[str]] = frozenset()
    """Fields whose texts may hold characters that no database stores, because the operation itself checks them."""
    judged_rows: ClassVar[frozenset[str]] = frozenset()
    """Fields whose rows are judged one by one; see `rows.py`."""
    is_document: ClassVar[bool] = False
    """Whether the body is a document that the operation reads itself."""


class EmptyRequest(Request):
    """A request without fields."""


class DocumentRequest(Request):
    """A request whose body is a document that the operation reads itself, byte for byte; REST alone can carry one.

    A subclass says which media types it takes. Its other fields come from the path, the query and the headers. The body is
    neither validated here nor written into the audit trail.
    """

    is_document: ClassVar[bool] = True
    media_types: ClassVar[Mapping[str, Mapping[str, Any]]] = {"application/json": {}}
    """The media types that are taken, each with the JSON Schema of such a document; an empty one where there is none.

    The `title` of a schema is its name in the OpenAPI description.
    """

    document: Annotated[SkipJsonSchema[bytes], Field(exclude=True, repr=False)] = b""
    """The body."""
    content_type: SkipJsonSchema[str] = Field(default="", max_length=100)
    """Its media type without parameters; empty when the caller named none."""


class Representation(Struct, frozen=True):
    """A form of an answer that can be asked for by media type: it stands for `value` in a field of the request.

    Several representations may share a media type; then the `profile` parameter (RFC 6906) tells them apart.
    """

    media_type: str
    value: str
    profiles: tuple[str, ...] = ()


class Representations(Struct, frozen=True):
    """The forms of an answer. Asked for by an Accept header, the answer's member `data_field` is sent alone as that media type.

    `field` is the field of the request that says which one; given in the query, it wins and the answer stays whole. Where the
    answer itself knows what it is, `media_type_field` is its member with the media type, and `data_field` is base64.
    """

    options: tuple[Representation, ...]
    field: str = "format"
    data_field: str = "data"
    media_type_field: str | None = None


class EventStream(Struct, frozen=True):
    """A list that continues by `cursor`, as a stream: a path at which new records are pushed as they come.

    `channel` is the database's channel on which the writers of such records give notice: its payload names values of the
    request's field `by`, with spaces between, or is `*`. `records` is the answer's list; `fixed` are fields that the stream
    needs, such as its order; `notice_value` is as in `InvalidatedBy`. `of_client` says that notices name the client, too
    (`client_subject`).
    """

    path: str
    channel: str
    by: str
    records: str
    fixed: Mapping[str, str] = {}
    notice_value: Callable[[str], str] = str
    of_client: bool = False


class Rest(Struct, frozen=True):
    """A REST binding. `path` is relative to /api; names in braces are fields of the request.

    For GET and DELETE the other fields are query parameters; for the rest they are the JSON body, except those in `query`.
    Where the body is a document in its own right, `body` names the one field that the whole of it is. `headers` names the
    header that carries a field, where one does. `token_header` and `token_query` name the header and the query parameter that
    carry the token of senders that cannot set `Authorization`. `area` is named only where it is not the area of the family.
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
    """At most `times` calls in `seconds`, counted per `by`: the caller's network, their user, or fields of the request.

    `address` in `by` means the network: all addresses of an IPv6 prefix are one caller (`CallerNetwork`).

    Limits of writes are `exact`, however many nodes there are; those of reads where it matters, say where one may guess.
    With `failures` only calls count that end in an error which the operation declares: a wrong code, and no right one.
    """

    times: int
    seconds: int
    by: tuple[str, ...] = ("address",)
    exact: bool = False
    failures: bool = False


_LIST_FIELDS = frozenset({"per_page", "next_cursor"})
"""An answer with one of these is a part of a list."""


class IncompleteDeclaration(TypeError):
    """A declaration that may not be served. Raised at import."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Operation(Generic[Req, Ans]):
    """One operation, with everything that its declaration says. Interfaces, documents and tests are derived from it.

    `replayable` is false where the answer is a secret: it is not stored, and a repeat with the same Idempotency-Key gets 409.

    `prepare(context, request)` is for slow work that must not hold the database's writer (hashing a password): it runs
    before the unit of work is opened, and what it returns is `call.prepared`. `context` is a `RequestContext`.

    `conclude(context, request, answer)` is for what must wait for the commit, such as asking another server to do what the
    transaction claimed: it runs after it, without a unit of work, for a repeat with an Idempotency-Key too, and its result is
    the answer. It must be harmless to repeat and harmless to miss, since a write that is approved, or whose caller is gone,
    has none: a job does the same. It is not run in a dry run.

    `http` says what HTTP caching may do with the answer of a read; `replica`, whether a copy of the database may answer it.
    Unless said, it may where the answer is a list or HTTP may cache it.

    `kept` has the answers of a read kept in memory for each caller, in the REST API, until something of the client is written.

    `audited` is for a read that the audit trail must know of, such as one of another business's records: it runs in a
    transaction that writes, on the primary, and its entry is there before its answer is sent, in a dry run too.
    `unaudited` is the reason why a write has no entry there: what machines without an account say again and again.
    `undone_by` is the write that takes this one back, given the same fields; its own name: itself, with what was there before.
    `allowed_where` says what the record that a write is about must say for the write to be accepted: a member and its value,
    or one of the values of a set, such as the statuses from which a life cycle goes on; of a member that is a list one value
    must be in it, such as `{"allowed_actions": "hold"}`. Pages offer it then; the write judges itself.
    `on_invalid_token(context, token)` is called for a caller whose token is no longer valid, before the error is raised.
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
    kept: Kept | None = None
    replica: bool | None = None
    audited: bool = False
    unaudited: str = ""
    prepare: Callable[[Any, Any], Awaitable[Any]] | None = None
    conclude: Callable[[Any, Any, Any], Awaitable[Any]] | None = None
    on_invalid_token: Callable[[Any, str], Awaitable[None]] | None = None
    undone_by: str = ""
    allowed_where: Mapping[str, Wanted] = field(default_factory=dict[str, Wanted])
    since: str = "0.1.0"
    retired: str | None = None
    examples: Mapping[str, Any] = field(default_factory=dict[str, Any])

    async def __call__(self, call: Any, request: Req) -> Ans:
        """Run the handler alone, outside the pipeline: for one operation that is made of another."""
        return await self.handler(call, request)

    def is_allowed_by(self, record: Mapping[str, Any]) -> bool:
        """Whether a record says that this may be done with it now; what it does not say forbids nothing."""
        return says_all(record, self.allowed_where)

    @property
    def summary(self) -> str:
        """The first line of the docstring, and the next where its sentence goes on there."""
        said: list[str] = []
        for line in self.description.partition("\n\n")[0].splitlines():
            said.append(line)
            if line.endswith("."):
                break
        return " ".join(said)

    @cached_property
    def public(self) -> bool:
        """Whether anyone may call it without a token."""
        return Account.PUBLIC in self.audience

    @cached_property
    def may_read_replica(self) -> bool:
        """Whether a copy of the database may answer it."""
        if self.effect is Effect.WRITE or self.audited or self.replica is not None:
            return bool(self.replica)
        return self.http is not None or not _LIST_FIELDS.isdisjoint(self.answer.__struct_fields__)

    @cached_property
    def is_document_operation(self) -> bool:
        """Whether its request is a `DocumentRequest`."""
        return self.request.is_document

    @property
    def context(self) -> str:
        """The context whose folder holds the operation: the third part of `haulier.contexts.orders…`."""
        parts = self.handler.__module__.split(".")
        return parts[2] if parts[:2] == ["haulier", "contexts"] else parts[-1]

    @property
    def area(self) -> Area | None:
        """The area of its family: `AREA` of the package `haulier.contexts.orders.delivery_orders`. None outside contexts."""
        return getattr(self._family_package, "AREA", None)

    @property
    def family_summary(self) -> str:
        """What its family is about: the first line of its package's docstring. Empty outside contexts."""
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
        """The family whose folder holds the operation."""
        parts = self.handler.__module__.split(".")
        return parts[3] if parts[:2] == ["haulier", "contexts"] and len(parts) > 3 else parts[-1]


Declare = Callable[[Handler[Req, Ans]], Operation[Req, Ans]]


def reads(
    name: str, *, audience: Iterable[Account], interfaces: tuple[Interface, ...], **options: Any
) -> Declare[Req, Ans]:
    """Declare an operation that changes nothing. `options` are the other fields of `Operation`."""
    return _declare_operation(name, Effect.READ, audience, interfaces, options)


def writes(
    name: str, *, audience: Iterable[Account], interfaces: tuple[Interface, ...], **options: Any
) -> Declare[Req, Ans]:
    """Declare an operation that changes something. It needs a scope unless its whole audience is the public."""
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


def _declaration_faults(operation: Operation[Any, Any]) -> Iterable[str]:
    if not operation.name.isidentifier() or not operation.name.islower():
        yield "its name must be lower_snake_case"
    if not operation.description:
        yield "it has no docstring"
    if not operation.audience:
        yield "its audience is empty (say PUBLIC when anyone may call)"
    yield from _write_faults(operation) if operation.effect is Effect.WRITE else _read_faults(operation)
    if operation.public and operation.scopes:
        yield "anyone may call it, so a scope cannot be asked for"
    if not operation.interfaces:
        yield "it has no interface"
    for interface in operation.interfaces:
        if isinstance(interface, Rest):
            yield from _binding_faults(operation, interface)
        elif operation.is_document_operation:
            yield f"its request is a document, which cannot come through {interface}"


def _write_faults(operation: Operation[Any, Any]) -> Iterable[str]:
    if not operation.scopes and operation.audience != frozenset({Account.PUBLIC}):
        yield "a write needs a scope"
    if operation.replica:
        yield "a replica takes no writes"
    if operation.kept:
        yield "only answers of reads are kept"
    if operation.audited:
        yield "every write is audited: only a read says so"
    if operation.unaudited and operation.audience != frozenset({Account.PUBLIC}):
        yield "what somebody with an account does is audited"


def _read_faults(operation: Operation[Any, Any]) -> Iterable[str]:
    if operation.audited and (operation.public or operation.http or operation.replica):
        yield "a read that the public may ask, or that HTTP or a replica answers, cannot be audited"
    if operation.kept:
        if not operation.kept.accounts <= operation.audience - {Account.PUBLIC}:
            yield "answers are kept for callers with an account who may ask"
        if operation.http or operation.audited or operation.limits or operation.prepare or operation.conclude:
            yield "an answer that is kept is read and nothing else: no HTTP caching, audit, limit, prepare or conclude"


def _binding_faults(operation: Operation[Any, Any], interface: Rest) -> Iterable[str]:
    fields = {info.alias or name for name, info in operation.request.model_fields.items()}
    named = [part[1:-1] for part in interface.path.split("/") if part.startswith("{")]
    for name in (*named, *interface.query, *interface.headers, *([interface.body] if interface.body else ())):
        if name not in fields:
            yield f"{interface.path} names {name!r}, which is no field of the request"
