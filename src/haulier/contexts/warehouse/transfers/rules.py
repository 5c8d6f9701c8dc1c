"""Rules of transfers."""

from enum import StrEnum

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

TRANSFER_STEP_REFUSED = declare_error("transfer_step_refused", 409)


class TransferState(StrEnum):
    """The state of a transfer."""

    DRAFT = "draft"
    """Packages are being scanned out."""
    IN_TRANSIT = "in_transit"
    """It left, and packages are still expected."""
    RECEIVED = "received"
    """Every package was scanned in, or is known to be missing."""
    COMPLETED = "completed"
    ROLLED_BACK = "rolled_back"
    """It was undone after it left."""
    CANCELLED = "cancelled"
    """It was cancelled before it left."""


class TransferAction(StrEnum):
    """Actions on a transfer."""

    CREATE = "create"
    SCAN_OUT = "scan_out"
    DISPATCH = "dispatch"
    SCAN_IN = "scan_in"
    REPORT = "report"
    RECEIVE = "receive"
    COMPLETE = "complete"
    ROLL_BACK = "roll_back"
    CANCEL = "cancel"


_S = TransferState


def _refused(action: TransferAction, state: TransferState) -> OperationError:
    return TRANSFER_STEP_REFUSED(step=action.value, state=state.value)


TRANSFER_LIFE = StateMachine(
    {
        TransferAction.SCAN_OUT: {_S.DRAFT: _S.DRAFT},
        TransferAction.DISPATCH: {_S.DRAFT: _S.IN_TRANSIT},
        TransferAction.CANCEL: {_S.DRAFT: _S.CANCELLED},
        TransferAction.SCAN_IN: {_S.IN_TRANSIT: _S.IN_TRANSIT, _S.RECEIVED: _S.RECEIVED},
        TransferAction.REPORT: {_S.IN_TRANSIT: _S.IN_TRANSIT, _S.RECEIVED: _S.RECEIVED},
        TransferAction.RECEIVE: {_S.IN_TRANSIT: _S.RECEIVED},
        TransferAction.COMPLETE: {_S.RECEIVED: _S.COMPLETED},
        TransferAction.ROLL_BACK: {
            _S.IN_TRANSIT: _S.ROLLED_BACK,
            _S.RECEIVED: _S.ROLLED_BACK,
            _S.COMPLETED: _S.ROLLED_BACK,
        },
    },
    created={_S.DRAFT: "create"},
    error=_refused,
)


def mermaid() -> str:
    """Return the state diagram of a transfer."""
    return TRANSFER_LIFE.mermaid()
