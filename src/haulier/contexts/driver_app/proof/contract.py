"""What goes in and out of proofs of delivery."""

from typing import Annotated

from haulier.contexts.driver_app.fields import ProofPhotos, UploadName
from haulier.contexts.routes.routes.contract.routes import Code, ReasonCode, ReportStopEvent
from haulier.contexts.routes.stops.rules import FailedStopOutcome
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.fields import Name, Note


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
