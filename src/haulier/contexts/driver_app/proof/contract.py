"""What goes in and out of proofs of delivery."""

from typing import Annotated

from pydantic import Field

from haulier.contexts.driver_app.fields import Barcode, Pin, ProofPhotos, UploadName
from haulier.contexts.orders.delivery_orders.contract.orders import PIECES_MAX
from haulier.contexts.orders.delivery_orders.rules.packages import LeftPieceOutcome
from haulier.contexts.otep.public import HandedTo
from haulier.contexts.routes.routes.contract import Code, ReasonCode, ReportStopEvent
from haulier.contexts.routes.stops.rules import FailedStopOutcome
from haulier.contexts.settlements.cash_on_delivery.contract import CodPayments
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import Name, Note, Reason


class PieceReport(Request):
    """A piece that was not handed over with the others."""

    barcode: Barcode = Field(examples=["HLTR16KD5632GCM-2"])
    """The tracking number of the piece, as on its label."""
    outcome: LeftPieceOutcome
    """missing: it is not there. damaged: it goes back broken, and a photo shows it. refused: nobody wants it."""
    photos: ProofPhotos = []
    """The uploads with photos of it."""
    note: Note | None = None


PieceReports = Annotated[list[PieceReport], Field(max_length=PIECES_MAX)]


class CompleteRiderStop(ReportStopEvent):
    """The completion of a stop, with its proof."""

    recipient: Name | None = None
    """Who took it, or who handed it out."""
    signature: UploadName | None = None
    """The upload with the signature."""
    photos: ProofPhotos = []
    """The uploads with photos."""
    note: Note | None = None
    code: Code | None = None
    """What the recipient said or showed to prove who they are."""
    pin: Pin | None = Field(default=None, exclude=True, repr=False, examples=["4711"])
    """The PIN that the recipient said; where the order asks for one."""
    age_checked: bool = False
    """That the driver looked at a document and found the recipient old enough; where the order asks for an age."""
    handed_to: HandedTo | None = None
    """deliver: who received it, or where it was left. A neighbour needs `recipient`, a safe place needs a photo."""
    left_at: Name | None = Field(default=None, examples=["Behind the shed"])
    """deliver: the place where it was left."""
    cod: CodPayments = []
    """The money that was taken, where some is due; cash and card may be mixed."""
    cod_reason: Reason | None = Field(default=None, examples=["Had only 20 dollars."])
    """Why less was taken than is due, or nothing at all."""
    pieces: PieceReports = []
    """deliver: the pieces that were not handed over. Left out, all were."""


class FailRiderStop(ReportStopEvent):
    """Why a stop failed."""

    reason: ReasonCode
    """A code of the client's return reasons, or a reason that tracking knows: recipient_absent, address_incorrect …"""
    outcome: FailedStopOutcome | None = None
    """What comes next. Left out, it is what the client's list says, or another try."""
    photos: ProofPhotos = []
    note: Note | None = None


class ProofUploadResult(Answer):
    """A file that was taken in."""

    result: bool = True
    upload_id: str
    file_id: Annotated[int, doc("The file's id; a repeated upload names the first one's.")]
    duplicate: Annotated[bool, doc("Whether it was uploaded before.")]
