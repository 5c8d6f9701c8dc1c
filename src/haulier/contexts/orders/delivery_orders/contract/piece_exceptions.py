"""Requests and answers about missing and damaged pieces."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.orders.delivery_orders.rules.lifecycle import PieceProblemKind, PieceResolution
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Reason, RecordId
from haulier.kernel.operations.ids import UserId
from haulier.kernel.values.moments import Day
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class ListPieceExceptions(PageRequest):
    """Filters for exceptions about pieces."""

    resolved: bool | None = False
    """`false` returns open exceptions, `true` resolved ones, null both. Default: `false`."""
    owner_id: UserId | None = None
    """Filter by the user who handles the exception."""
    kind: PieceProblemKind | None = None
    """Filter by kind."""
    order_id: RecordId | None = None
    """Filter by order."""
    date_from: Day | None = None
    """Opened on this day or later."""
    date_to: Day | None = None
    """Opened on this day or earlier."""


class UpdatePieceException(Request):
    """A change to an exception. Omitted fields keep their values."""

    exception_id: RecordId
    """ID of the exception."""
    owner_id: UserId | None = None
    """The user who handles the exception. null removes the owner."""
    resolved: bool | None = None
    """`true` resolves the exception and requires `resolution`; `false` reopens it."""
    resolution: PieceResolution | None = None
    """Resolution of the exception. Only with `resolved`."""
    note: Reason | None = Field(default=None, examples=["Found in the van, delivered on June 11"])
    """Details of the resolution."""


class PieceException(Answer):
    """A piece that was missing or damaged when its order was delivered."""

    id: int
    order_id: int
    piece: Annotated[str, doc("Tracking number of the piece.", "HLTR16KD-2")]
    kind: PieceProblemKind
    owner_id: Annotated[UserId | None, doc("User who handles it; null while unassigned.")]
    resolution: Annotated[
        str | None, doc("found, replaced, refunded, other or, when closed automatically, delivery_undone.", "found")
    ]
    note: str | None
    created_at: Annotated[datetime, doc("When it was last opened.")]
    resolved_at: datetime | None
    resolved_by: Annotated[int | None, doc("User who resolved it.")]


class PieceExceptionList(PagedAnswer):
    """A page of exceptions about pieces, oldest first."""

    exceptions: list[PieceException]


class PieceExceptionAnswer(Answer):
    """One exception about a piece."""

    result: bool = True
    exception: PieceException
