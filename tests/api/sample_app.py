"""Small registry for interface tests, and its application."""

import asyncio
from datetime import UTC, date, datetime
from enum import IntEnum, StrEnum
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from pydantic import Field
from tests.support.kernel_app import NOON, OFFICE, KnownCallers, erase, greet, list_offers, write_note

from haulier.kernel.application import Application
from haulier.kernel.background.jobs import job
from haulier.kernel.background.registry import BackgroundRegistry
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import Database
from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import (
    EmptyRequest,
    GraphQL,
    Mcp,
    Operation,
    RateLimit,
    Request,
    reads,
    writes,
)
from haulier.kernel.operations.enums import Account, McpServer, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.registry import Registry
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

BOTH_SERVERS = frozenset({McpServer.USER, McpServer.DEVELOPER})
FAR_ID = 2**53 - 1


class Speed(StrEnum):
    SLOW = "slow"
    FAST = "fast"


class Stage(IntEnum):
    NEW = 1
    DONE = 2


class Box(Answer, tag="box", tag_field="kind"):
    """A parcel in a box."""

    sides: int


class Tube(Answer, tag="tube", tag_field="kind"):
    """A parcel in a tube."""

    length_mm: int


class Parcel(Answer):
    """One parcel."""

    id: int
    speed: Speed
    stage: Stage
    pieces: Annotated[int, Meta(ge=0, le=999, description="How many pieces.")]
    packed: Box | Tube
    sent_at: datetime
    due: date | None
    colour: Literal["red", "blue"]
    facts: dict[str, Any]
    note: Annotated[str | UnsetType, doc("Only where there is one.")] = UNSET
    seller: str = msgspec.field(default="Ann", name="sellerName")


class Parcels(PagedAnswer):
    """A page of parcels."""

    parcels: list[Parcel]


class ListParcels(PageRequest):
    speed: Speed | None = None
    """Only those of this speed."""


PARCELS = [
    Parcel(
        id=FAR_ID,
        speed=Speed.FAST,
        stage=Stage.DONE,
        pieces=2,
        packed=Box(sides=6),
        sent_at=datetime(2026, 6, 9, 8, tzinfo=UTC),
        due=date(2026, 6, 11),
        colour="red",
        facts={"fragile": True},
    ),
    Parcel(
        id=7,
        speed=Speed.SLOW,
        stage=Stage.NEW,
        pieces=1,
        packed=Tube(length_mm=900),
        sent_at=NOON,
        due=None,
        colour="blue",
        facts={},
        note="ring twice",
    ),
]


@reads(
    "list_parcels",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(GraphQL("parcels"), Mcp("list_parcels", BOTH_SERVERS)),
)
async def list_parcels(call: Call, request: ListParcels) -> Parcels:
    """List parcels."""
    found = [parcel for parcel in PARCELS if request.speed in (None, parcel.speed)]
    return Parcels(total=len(found), page=request.page, per_page=request.per_page, parcels=found)


class Place(Request):
    street: str = Field(max_length=80, examples=["100 Queen St W"])
    floor: int = Field(default=0, ge=-5, le=200)


class SendParcel(Request):
    to: Place
    """Where to."""
    weight_g: int = Field(ge=1, le=2**53 - 1)
    speed: Speed = Speed.SLOW
    wrap: Literal["paper", "foil"] | None = None
    pick_up_at: datetime | None = None
    rights: Literal["orders:read", "orders:write"] | None = None
    notes: list[str] = Field(default=[], max_length=5, examples=[["Ring twice."]])


class Sent(Answer):
    result: bool = True
    told: dict[str, Any]


class Text(Struct):
    words: str


@job("text.customer", Text)
async def text_customer(run: Any, args: Text) -> None:
    """Send a text message; never run in these tests."""


@writes(
    "send_parcel",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(GraphQL("sendParcel"), Mcp("send_parcel", BOTH_SERVERS, title="Send it")),
)
async def send_parcel(call: Call, request: SendParcel) -> Sent:
    """Send a parcel and tell the customer."""
    await call.enqueue("text.customer", Text(words=f"to {request.to.street}"))
    return Sent(told=request.model_dump(mode="json", exclude_unset=True))


class MeetingBarrier:
    """Two calls of `meet` answer only when both have come."""

    def __init__(self) -> None:
        self.barrier = asyncio.Barrier(2)


@reads("meet", audience={Account.PUBLIC}, interfaces=(GraphQL("meet"),))
async def meet(call: Call, request: EmptyRequest) -> Sent:
    """Wait for another."""
    async with asyncio.timeout(60):
        await call.adapter(MeetingBarrier).barrier.wait()
    return Sent(told={})


@reads("break_down", audience={Account.PUBLIC}, interfaces=(GraphQL("breakDown"), Mcp("break_down")))
async def break_down(call: Call, request: EmptyRequest) -> Sent:
    """Fail with an internal error."""
    raise ZeroDivisionError("a secret")


@reads(
    "find_nothing", audience={Account.PUBLIC}, interfaces=(GraphQL("findNothing"), Mcp("find_nothing", BOTH_SERVERS))
)
async def find_nothing(call: Call, request: EmptyRequest) -> Sent:
    """Find nothing."""
    raise NOT_FOUND()


@reads("hurry", audience={Account.PUBLIC}, limits=(RateLimit(1, 60),), interfaces=(GraphQL("hurry"),))
async def hurry(call: Call, request: EmptyRequest) -> Sent:
    """Answer once a minute."""
    return Sent(told={})


OPERATIONS: tuple[Operation[Any, Any], ...] = (
    *(greet, list_offers, write_note, erase, list_parcels, send_parcel, meet, break_down),
    *(find_nothing, hurry),
)


class Pending(Answer):
    id: int
    operation: str


class Queued(Answer):
    result: bool = True
    queued: bool = True
    message: str
    approval: Pending


class Propose(Request):
    operation: str = Field(max_length=100, examples=["send_parcel"])


@writes("propose", audience=OFFICE, scopes={Scope.APPROVALS_READ}, interfaces=(GraphQL("propose"),))
async def propose(call: Call, request: Propose) -> Queued:
    """Queue a write."""
    pending = Pending(id=1, operation=request.operation)
    return Queued(message=call.translate("approval_queued", id=pending.id), approval=pending)


class RecordingApprovals:
    """Approvals that keep the names of what was queued."""

    def __init__(self) -> None:
        self.queued: list[str] = []

    def to_proposal(self, operation: Operation[Any, Any], request: Request) -> tuple[Operation[Any, Any], Request]:
        self.queued.append(operation.name)
        return propose, Propose(operation=operation.name)


class StandingClock:
    """A clock that stands until a test moves it."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


def make_sample_app(
    database: Database, operations: tuple[Operation[Any, Any], ...] = OPERATIONS, **words: Any
) -> Application:
    """Return a sample application; a token is the name of a caller in `kernel_app.py`."""
    return Application(
        registry=Registry(operations),
        background=BackgroundRegistry([text_customer], []),
        database=database,
        catalogues=Catalogues(),
        identity=KnownCallers(),
        adapters={MeetingBarrier: MeetingBarrier()},
        **{"clock": StandingClock(), **words},
    )
