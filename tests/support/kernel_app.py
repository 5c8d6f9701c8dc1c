"""A small application for kernel tests.

It has sample operations, and callers chosen by token.
"""

from datetime import UTC, datetime
from typing import Annotated, Any

from msgspec import UNSET, UnsetType
from pydantic import Field
from sqlalchemy import select

from haulier.kernel.application import Application
from haulier.kernel.background.registry import BackgroundRegistry
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import Database, UnitOfWork
from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.operations.answers import Answer, Priced, doc, price
from haulier.kernel.operations.declaration import (
    EmptyRequest,
    GraphQL,
    Mcp,
    Operation,
    RateLimit,
    Request,
    Rest,
    reads,
    writes,
)
from haulier.kernel.operations.enums import ALL_SCOPES, Account, Feature, Module, PriceFamily, Risk, Scope
from haulier.kernel.operations.errors import INVALID_TOKEN, NOT_FOUND
from haulier.kernel.operations.registry import Registry
from haulier.kernel.pipeline.request import OperationRequest
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.pipeline.run import handle_request
from haulier.kernel.principal import Business, Principal
from haulier.kernel.request_context import RequestContext

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)
OFFICE = frozenset({Account.CLIENT_ADMIN, Account.EMPLOYEE})
BUSINESS = Business(
    id=1, code="demo", time_zone="America/Toronto", currency="CAD", modules=frozenset(Module), features=frozenset()
)
ADMIN = Principal(Account.CLIENT_ADMIN, user_id=1, name="Ada", business=BUSINESS, scopes=ALL_SCOPES)
CALLERS = {
    "admin": ADMIN,
    "reader": Principal(
        Account.CLIENT_ADMIN, user_id=2, name="Rea", business=BUSINESS, scopes=frozenset({Scope.ORDERS_READ})
    ),
    "driver": Principal(Account.DRIVER, user_id=3, name="Dan", business=BUSINESS, scopes=ALL_SCOPES),
    "customer": Principal(
        Account.CUSTOMER,
        user_id=4,
        name="Cus",
        business=BUSINESS,
        scopes=ALL_SCOPES,
        hidden_prices=frozenset({PriceFamily.LOCAL_DELIVERY}),
    ),
    "elsewhere": Principal(
        Account.CLIENT_ADMIN,
        user_id=5,
        name="Eve",
        business=Business(id=2, code="rival", time_zone="Europe/Paris", currency="EUR"),
        scopes=ALL_SCOPES,
    ),
}


class KnownCallers:
    """An identity provider whose tokens are the names of the callers above."""

    async def identify(self, work: UnitOfWork, token: str, now: datetime) -> Principal:
        if token not in CALLERS:
            raise INVALID_TOKEN()
        return CALLERS[token]

    async def business(self, work: UnitOfWork, client_id: int) -> Business:
        return BUSINESS

    async def record_token_use(self, database: Database, now: datetime) -> int:
        return 0


class Greet(Request):
    name: str = Field(min_length=2, max_length=20, examples=["Ada"])
    times: int = Field(default=1, ge=1, le=5)


class Greeting(Answer):
    result: bool = True
    words: Annotated[str, doc("What was said.")]


class PricedOffer(Priced):
    rate_id: str
    amount_minor: Annotated[int | UnsetType, price(PriceFamily.LOCAL_DELIVERY, "What it costs.")] = UNSET
    label_minor: Annotated[int | UnsetType, price(PriceFamily.LABEL_SERVICE, "What the label costs.")] = UNSET


class Offers(Answer):
    result: bool = True
    offers: list[PricedOffer] = []


@reads("greet", audience={Account.PUBLIC}, interfaces=(Rest("POST", "/v1/greet"), GraphQL("greet"), Mcp("greet")))
async def greet(call: Call, request: Greet) -> Greeting:
    """Say hello."""
    return Greeting(words=" ".join([f"hello {request.name}"] * request.times))


@reads(
    "list_offers",
    audience={*OFFICE, Account.CUSTOMER},
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/offers"), GraphQL("offers"), Mcp("list_offers")),
)
async def list_offers(call: Call, request: EmptyRequest) -> Offers:
    """List offers."""
    return Offers(offers=[PricedOffer(rate_id="r1", amount_minor=1234, label_minor=99)])


@writes(
    "write_note",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    interfaces=(Rest("POST", "/v1/notes"), GraphQL("writeNote"), Mcp("write_note")),
)
async def write_note(call: Call, request: Greet) -> Greeting:
    """Write something recorded in the audit trail only."""
    call.add_audit_subjects("note", request.times)
    return Greeting(words=f"{request.name} at {call.now:%H:%M:%S.%f}")


@writes(
    "fail_halfway",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    interfaces=(Rest("POST", "/v1/fail"),),
)
async def fail_halfway(call: Call, request: Greet) -> Greeting:
    """Fail after a write."""
    from haulier.kernel.pipeline.audit import audit_entries

    await call.work.insert(
        audit_entries,
        owner_client_id=1,
        at=call.now,
        operation="half",
        account="x",
        door="x",
        request_id="x",
        request={},
    )
    if request.name == "refuse":
        raise NOT_FOUND()
    raise ZeroDivisionError


@writes(
    "erase",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", "/v1/erase"), Mcp("erase")),
)
async def erase(call: Call, request: EmptyRequest) -> Greeting:
    """Erase something."""
    return Greeting(words="gone")


@reads(
    "contracted",
    audience=OFFICE,
    module=Module.BROKER_ORDER_ASSIGNMENTS,
    interfaces=(Rest("GET", "/v1/contracted"),),
)
async def contracted(call: Call, request: EmptyRequest) -> Greeting:
    """Require a module."""
    return Greeting(words="on")


@reads("chatty", audience=OFFICE, feature=Feature.ORDER_CHAT, interfaces=(Rest("GET", "/v1/chatty"),))
async def chatty(call: Call, request: EmptyRequest) -> Greeting:
    """Require an opt-in family."""
    return Greeting(words="on")


@reads(
    "scarce",
    audience={Account.PUBLIC},
    limits=(RateLimit(2, 60, ("address", "name")),),
    interfaces=(Rest("POST", "/v1/scarce"),),
)
async def scarce(call: Call, request: Greet) -> Greeting:
    """Answer twice a minute."""
    return Greeting(words="once more")


@writes(
    "guess",
    audience={Account.PUBLIC},
    limits=(RateLimit(2, 60, failures=True),),
    interfaces=(Rest("POST", "/v1/guess"),),
    errors=(NOT_FOUND,),
)
async def guess(call: Call, request: Greet) -> Greeting:
    """Guess a name, twice a minute."""
    if request.name != "Ada":
        raise NOT_FOUND()
    return Greeting(words="right")


async def nothing_taken(context: RequestContext, request: Greet) -> str:
    """Prepare `take_once`. Raises on a second call."""
    from haulier.kernel.pipeline.audit import audit_entries

    async with context.app.database.read(None) as work:
        if await work.first(select(audit_entries.c.id).where(audit_entries.c.operation == "take_once")):
            raise NOT_FOUND()
    return "the last one"


@writes(
    "take_once",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    interfaces=(Rest("POST", "/v1/take"),),
    prepare=nothing_taken,
    errors=(NOT_FOUND,),
)
async def take_once(call: Call, request: Greet) -> Greeting:
    """Take something once."""
    return Greeting(words=call.prepared)


OPERATIONS = (greet, list_offers, write_note, fail_halfway, erase, contracted, chatty, scarce, guess, take_once)


def make_app(database: Database, **words: Any) -> Application:
    return Application(
        registry=Registry(OPERATIONS),
        background=BackgroundRegistry([], []),
        database=database,
        catalogues=Catalogues(),
        identity=KnownCallers(),
        clock=lambda: NOON,
        **words,
    )


async def call_operation(
    application: Application, operation: Operation[Any, Any], body: str = "{}", **words: Any
) -> OperationResult:
    """Call an operation as an interface would. The token is the caller's name."""
    return await handle_request(
        application,
        OperationRequest(operation=operation, interface="rest", request_id="req-1", body=body.encode(), **words),
    )
