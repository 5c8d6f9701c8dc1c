"""The states of a claim on an inbound parcel."""

from enum import StrEnum

from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.state_machine import StateMachine

INBOUND_CLAIM_DECIDED = declare_error("inbound_claim_decided", 409)


class ClaimState(StrEnum):
    """The state of a claim."""

    PENDING = "pending"
    """The office has not decided yet."""
    APPROVED = "approved"
    REFUSED = "refused"


class InboundClaimStep(StrEnum):
    """A decision about a claim."""

    APPROVE = "approve"
    REFUSE = "refuse"


_S = ClaimState


def _refused(step: InboundClaimStep, state: ClaimState) -> OperationError:
    return INBOUND_CLAIM_DECIDED(step=step.value, state=state.value)


CLAIM_LIFE = StateMachine(
    {InboundClaimStep.APPROVE: {_S.PENDING: _S.APPROVED}, InboundClaimStep.REFUSE: {_S.PENDING: _S.REFUSED}},
    created={_S.PENDING: "claimed after arrival"},
    error=_refused,
)


def mermaid() -> str:
    """Return the life of a claim as a diagram."""
    return CLAIM_LIFE.mermaid()
