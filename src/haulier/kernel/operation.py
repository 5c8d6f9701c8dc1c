"""An operation: one typed async function that does one thing a user can ask for.

`@reads` and `@writes` turn a function into a frozen `Operation`. The declaration says who may call, through which doors and
at what risk; the signature says what goes in and out; the docstring is what people and agents read. A declaration that is
incomplete is refused at import, so no half-declared operation can ever be served.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_type_hints

from msgspec import Struct
from pydantic import BaseModel, ConfigDict

from haulier.kernel.answers import Answer
from haulier.kernel.declarations import Account, Effect, Feature, Module, Risk, Scope, Server
from haulier.kernel.errors import Problem

if TYPE_CHECKING:
    from haulier.kernel.call import Call

Req = TypeVar("Req", bound="Request")
Ans = TypeVar("Ans", bound=Answer)
Handler = Callable[["Call", Req], Awaitable[Ans]]


class Request(BaseModel):
    """What an operation is asked with. Every fault is reported at once; an unknown field is a fault."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, hide_input_in_errors=True)


class Nothing(Request):
    """A request without fields."""


class Rest(Struct, frozen=True):
    """A REST binding. `path` is relative to /api; names in braces are fields of the request.

    For GET and DELETE the other fields are query parameters; for the rest they are the JSON body, except those in `query`.
    """

    method: str
    path: str
    status: int = 200
    query: tuple[str, ...] = ()
    tag: str | None = None


class GraphQL(Struct, frozen=True):
    """A GraphQL field: on Query for reads, on Mutation for writes."""

    name: str


class Mcp(Struct, frozen=True):
    """A tool of the MCP servers."""

    name: str
    servers: frozenset[Server] = frozenset({Server.USER})
    title: str | None = None


Door = Rest | GraphQL | Mcp


class Limit(Struct, frozen=True):
    """At most `times` calls in `seconds`, counted per `by`: the caller's address, their user, or fields of the request."""

    times: int
    seconds: int
    by: tuple[str, ...] = ("address",)


class Incomplete(TypeError):
    """A declaration that may not be served. Raised at import."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Operation(Generic[Req, Ans]):
    """Everything that is known about one operation. Doors, documents and tests are derived from it.

    `keeps_answer` is false where the answer is a secret: an Idempotency-Key is then not honoured, so nothing is stored.

    `prepare(house, request)` is for slow work that must not hold the database's writer (hashing a password): it runs before
    the unit of work is opened, and what it returns is `call.prepared`.
    """

    name: str
    effect: Effect
    handler: Handler[Req, Ans]
    request: type[Req]
    answer: type[Ans]
    description: str
    audience: frozenset[Account]
    doors: tuple[Door, ...]
    scopes: frozenset[Scope] = frozenset()
    risk: Risk = Risk.LOW
    confirm: bool = False
    module: Module | None = None
    feature: Feature | None = None
    limits: tuple[Limit, ...] = ()
    errors: tuple[Problem, ...] = ()
    body_limit_bytes: int = 1_048_576
    keeps_answer: bool = True
    prepare: Callable[[Any, Any], Awaitable[Any]] | None = None
    since: str = "0.1.0"
    retired: str | None = None
    examples: Mapping[str, Any] = field(default_factory=dict[str, Any])

    async def __call__(self, call: "Call", request: Req) -> Ans:
        """Run the handler alone, outside the pipeline: for one operation that is made of another."""
        return await self.handler(call, request)

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return self.description.split("\n", 1)[0]

    @property
    def public(self) -> bool:
        """Whether anyone may call it without a token."""
        return Account.PUBLIC in self.audience

    @property
    def context(self) -> str:
        """The context whose folder holds the operation: the third part of `haulier.contexts.orders…`."""
        parts = self.handler.__module__.split(".")
        return parts[2] if parts[:2] == ["haulier", "contexts"] else parts[-1]

    @property
    def family(self) -> str:
        """The family whose folder holds the operation."""
        parts = self.handler.__module__.split(".")
        return parts[3] if parts[:2] == ["haulier", "contexts"] and len(parts) > 3 else parts[-1]


Declare = Callable[[Handler[Req, Ans]], Operation[Req, Ans]]


def reads(name: str, *, audience: Iterable[Account], doors: tuple[Door, ...], **words: Any) -> Declare[Req, Ans]:
    """Declare an operation that changes nothing. `words` are the other fields of `Operation`."""
    return _declare(name, Effect.READ, audience, doors, words)


def writes(name: str, *, audience: Iterable[Account], doors: tuple[Door, ...], **words: Any) -> Declare[Req, Ans]:
    """Declare an operation that changes something. It needs a scope unless its whole audience is the public."""
    return _declare(name, Effect.WRITE, audience, doors, words)


def _declare(
    name: str, effect: Effect, audience: Iterable[Account], doors: tuple[Door, ...], words: dict[str, Any]
) -> Declare[Any, Any]:
    def declare(handler: Handler[Any, Any]) -> Operation[Any, Any]:
        request, answer = _signature(name, handler)
        words["scopes"] = frozenset(words.get("scopes", ()))
        operation = Operation[Any, Any](
            name=name,
            effect=effect,
            handler=handler,
            request=request,
            answer=answer,
            description=inspect.cleandoc(handler.__doc__ or ""),
            audience=frozenset(audience),
            doors=doors,
            **words,
        )
        if faults := list(_faults(operation)):
            raise Incomplete(f"operation {name!r}: " + "; ".join(faults))
        return operation

    return declare


def _signature(name: str, handler: Handler[Any, Any]) -> tuple[type[Request], type[Answer]]:
    hints = get_type_hints(handler, localns={"Call": object})
    parameters = [parameter for parameter in inspect.signature(handler).parameters if parameter != "call"]
    if len(parameters) != 1 or not {parameters[0], "return"} <= hints.keys():
        raise Incomplete(f"operation {name!r}: its signature must be (call: Call, request: R) -> A, all typed")
    request, answer = hints[parameters[0]], hints["return"]
    if not (isinstance(request, type) and issubclass(request, Request)):
        raise Incomplete(f"operation {name!r}: its request must be a Request")
    if not (isinstance(answer, type) and issubclass(answer, Answer)):
        raise Incomplete(f"operation {name!r}: its answer must be an Answer")
    return request, answer


def _faults(operation: Operation[Any, Any]) -> Iterable[str]:
    if not operation.name.isidentifier() or not operation.name.islower():
        yield "its name must be lower_snake_case"
    if not operation.description:
        yield "it has no docstring"
    if not operation.audience:
        yield "its audience is empty (say PUBLIC when anyone may call)"
    only_public = operation.audience == frozenset({Account.PUBLIC})
    if operation.effect is Effect.WRITE and not operation.scopes and not only_public:
        yield "a write needs a scope"
    if operation.public and operation.scopes:
        yield "anyone may call it, so a scope cannot be asked for"
    if not operation.doors:
        yield "it has no door"
    for door in operation.doors:
        if isinstance(door, Rest):
            yield from _path_faults(operation, door)


def _path_faults(operation: Operation[Any, Any], door: Rest) -> Iterable[str]:
    fields = {info.alias or name for name, info in operation.request.model_fields.items()}
    named = [part[1:-1] for part in door.path.split("/") if part.startswith("{")]
    for name in (*named, *door.query):
        if name not in fields:
            yield f"{door.path} names {name!r}, which is no field of the request"
