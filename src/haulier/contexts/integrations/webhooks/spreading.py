"""News becomes messages: one for each thing that happened, and a delivery of it for every endpoint that wants it."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from msgspec import UNSET, Struct

from haulier.contexts.access.public import customer_as_caller
from haulier.contexts.integrations.webhooks import payloads
from haulier.contexts.integrations.webhooks.delivering import DELIVER, Deliver
from haulier.contexts.integrations.webhooks.forwarding import SPREAD, Spread
from haulier.contexts.integrations.webhooks.payloads import Sight
from haulier.contexts.integrations.webhooks.rules.codebook import BY_NAME, Known, parts, wants
from haulier.contexts.integrations.webhooks.rules.retrying import DeliveryStatus
from haulier.contexts.integrations.webhooks.store import deliveries, endpoints
from haulier.kernel.errands import errand
from haulier.kernel.principal import Business, the_house_itself
from haulier.kernel.run import Run

TOGETHER = 100
"""So many deliveries are written in one transaction."""
WITHIN_A_JOB = 2**20
"""Messages of a job are numbered below this, so that jobs in their order give messages in theirs."""


class Piece(Struct, frozen=True, kw_only=True):
    """One thing that happened, and what it is called."""

    known: Known
    news: dict[str, Any]
    message_id: str
    sequence: int


class Audience:
    """Who is told, and how each of them sees it."""

    def __init__(self, run: Run, business: Business, listening: Iterable[Any]) -> None:
        self._run = run
        self._business = business
        self._listening = list(listening)
        self._office = Sight(run.house, the_house_itself(business))
        self._customers: dict[int, Sight | None] = {}

    async def of(self, piece: Piece) -> list[tuple[Any, Sight]]:
        """The endpoints that want a piece of news, each with what its reader is shown."""
        wanting = [each for each in self._listening if wants(each.events, piece.known.name)]
        found = [(each, self._office) for each in wanting if each.customer_id is None]
        theirs = [each for each in wanting if each.customer_id is not None]
        owner = await self._owner(piece) if theirs else None
        sight = await self._customer(owner) if owner else None
        return found + [(each, sight) for each in theirs if sight and each.customer_id == owner]

    async def _owner(self, piece: Piece) -> int | None:
        """The customer whose order it is about, if it is news for customers."""
        order_id = piece.news.get("order_id")
        order = await self._office.order(order_id) if piece.known.for_customers and order_id else None
        return order["customer_id"] if order else None

    async def _customer(self, id: int) -> Sight | None:
        if id not in self._customers:
            async with self._run.house.database.read(self._business.id) as work:
                principal = await customer_as_caller(work, self._business, id)
            self._customers[id] = Sight(self._run.house, principal) if principal else None
        return self._customers[id]


@errand(SPREAD, Spread)
async def spread(run: Run, args: Spread) -> None:
    """Make the messages and their deliveries. Made twice, each is there once: it is called the same both times."""
    assert run.client_id is not None
    async with run.house.database.read(run.client_id) as work:
        business = await run.house.identity.business(work, run.client_id)
        listening = await endpoints.active(work)
    audience = Audience(run, business, listening)
    rows: list[dict[str, Any]] = []
    for piece in _pieces(run, args):
        for endpoint, sight in await audience.of(piece):
            told = await payloads.data(sight, piece.known, piece.news)
            if told is not None:
                rows.append(_row(args, business, piece, endpoint, told))
    for start in range(0, len(rows), TOGETHER):
        await _put(run, rows[start : start + TOGETHER])


def _pieces(run: Run, args: Spread) -> Iterator[Piece]:
    flat = [
        (known, each) for told in args.told if (known := BY_NAME.get(told.event)) for each in parts(known, told.news)
    ]
    for number, (known, each) in enumerate(flat):
        sequence = run.job_id * WITHIN_A_JOB + number
        yield Piece(known=known, news=each, message_id=f"msg_{args.token}_{number}", sequence=sequence)


def _row(args: Spread, business: Business, piece: Piece, endpoint: Any, told: dict[str, Any]) -> dict[str, Any]:
    words = {"id": piece.message_id, "occurred_at": args.at, "sequence": piece.sequence, "client": business.code}
    document = payloads.message(piece.known, piece.news, told, **words)
    return {
        "endpoint_id": endpoint.id,
        "url": endpoint.url,
        "message_id": piece.message_id,
        "event": piece.known.name,
        "subject": None if document.subject is UNSET else document.subject,
        "sequence": piece.sequence,
        "payload": document.encoded().decode(),
        "status": DeliveryStatus.PENDING.value,
        "attempts": 0,
        "tries": 0,
        "created_at": args.at,
        "next_attempt_at": args.at,
    }


async def _put(run: Run, rows: list[dict[str, Any]]) -> None:
    """Write deliveries and ask for them: what is about one subject goes to an endpoint in one errand, in order."""
    async with run.call() as call:
        written = [row for row in await deliveries.put(call.work, rows) if row.attempts == 0]
        for ids in _in_line(written):
            await call.post(DELIVER, Deliver(delivery_ids=ids, attempt=0), idempotency_key=f"{ids[0]}:0")


def _in_line(rows: Iterable[Any]) -> Iterator[list[int]]:
    def line(row: Any) -> tuple[int, str]:
        return row.endpoint_id, row.subject or f"#{row.id}"

    for _, together in groupby(sorted(rows, key=line), key=line):
        yield [row.id for row in together]
