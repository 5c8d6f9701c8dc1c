"""Request and response models for proofs of delivery."""

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
    """Tracking number of the package, as printed on its label."""
    outcome: LeftPieceOutcome
    """Outcome of the package. missing: it was not found. damaged: it goes back, and a photo is required. refused: the
    recipient did not accept it."""
    photos: ProofPhotos = []
    """Uploads with photos of the package."""
    note: Note | None = None


PieceReports = Annotated[list[PieceReport], Field(max_length=PIECES_MAX)]


class CompleteRiderStop(ReportStopEvent):
    """The completion of a stop, with its proof."""

    recipient: Name | None = None
    """Name of the person who received or handed over the goods."""
    signature: UploadName | None = None
    """Upload with the signature."""
    photos: ProofPhotos = []
    """Uploads with photos."""
    note: Note | None = None
    code: Code | None = None
    """Proof of identity given by the recipient."""
    pin: Pin | None = Field(default=None, exclude=True, repr=False, examples=["4711"])
    """PIN given by the recipient, if the order requires one."""
    age_checked: bool = False
    """If true, the driver checked an identity document for the minimum age, if the order requires one."""
    handed_to: HandedTo | None = None
    """deliver: type of receiver, or of the place where the delivery was left. A neighbour requires `recipient`, a safe
    place a photo."""
    left_at: Name | None = Field(default=None, examples=["Behind the shed"])
    """deliver: place where the delivery was left."""
    cod: CodPayments = []
    """Cash on delivery collected, if any is due. Cash and card can be combined."""
    cod_reason: Reason | None = Field(default=None, examples=["Had only 20 dollars."])
    """Reason for collecting less than the amount due."""
    pieces: PieceReports = []
    """deliver: packages that were not handed over. Default: none."""


class FailRiderStop(ReportStopEvent):
    """Why a stop failed."""

    reason: ReasonCode
    """Code of a return reason of the business, or a tracking reason such as recipient_absent or address_incorrect."""
    outcome: FailedStopOutcome | None = None
    """Next step of the order. Default: the step of the return reason, or another attempt."""
    photos: ProofPhotos = []
    note: Note | None = None


class ProofUploadResult(Answer):
    """A file that was taken in."""

    result: bool = True
    upload_id: str
    file_id: Annotated[int, doc("ID of the file. A repeated upload returns the first one's id.")]
    duplicate: Annotated[bool, doc("True if the file was uploaded before.")]
