"""The lives of campaigns and of their messages."""

from enum import StrEnum

from haulier.contexts.messaging.campaigns.errors import SMS_CAMPAIGN_STEP_REFUSED
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.state_machine import StateMachine


class CampaignStatus(StrEnum):
    """How far a campaign is."""

    DRAFT = "draft"
    SCHEDULED = "scheduled"
    SENDING = "sending"
    PAUSED = "paused"
    DONE = "done"
    CANCELLED = "cancelled"


class CampaignAction(StrEnum):
    """What is done with a campaign."""

    SCHEDULE = "schedule"
    BEGIN = "begin"
    PAUSE = "pause"
    RESUME = "resume"
    FINISH = "finish"
    CANCEL = "cancel"


class MessageState(StrEnum):
    """The fate of one recipient's text."""

    WAITING = "waiting"
    SENDING = "sending"
    """Claimed, and being handed to the provider."""
    SENT = "sent"
    DELIVERED = "delivered"
    UNDELIVERED = "undelivered"
    FAILED = "failed"
    """The provider refused it."""
    UNKNOWN = "unknown"
    """Nobody knows whether the provider took it; it is not sent again, so that nobody gets it twice."""
    SKIPPED = "skipped"
    """Not sent; `reason` says why."""


class SkipReason(StrEnum):
    """Why a text was not sent."""

    NO_CONSENT = "no_consent"
    SUPPRESSED = "suppressed"
    CONTACT_GONE = "contact_gone"
    VARIABLE_MISSING = "variable_missing"
    TEXT_TOO_LONG = "text_too_long"
    CAMPAIGN_CANCELLED = "campaign_cancelled"


NEVER_HANDED_OVER = frozenset({MessageState.WAITING, MessageState.SKIPPED})
SETTLED = frozenset({MessageState.DELIVERED, MessageState.UNDELIVERED, MessageState.FAILED, MessageState.SKIPPED})


def _refused(action: CampaignAction, status: CampaignStatus) -> OperationError:
    return SMS_CAMPAIGN_STEP_REFUSED(action=action.value, status=status.value)


_S, _A = CampaignStatus, CampaignAction
campaign_life: StateMachine[CampaignStatus, CampaignAction] = StateMachine(
    {
        _A.SCHEDULE: {_S.DRAFT: _S.SCHEDULED, _S.SCHEDULED: _S.SCHEDULED},
        _A.BEGIN: {_S.SCHEDULED: _S.SENDING},
        _A.PAUSE: {_S.SCHEDULED: _S.PAUSED, _S.SENDING: _S.PAUSED},
        _A.RESUME: {_S.PAUSED: _S.SENDING},
        _A.FINISH: {_S.SENDING: _S.DONE},
        _A.CANCEL: dict.fromkeys((_S.DRAFT, _S.SCHEDULED, _S.SENDING, _S.PAUSED), _S.CANCELLED),
    },
    created={_S.DRAFT: "create_sms_campaign"},
    error=_refused,
)


def mermaid() -> str:
    """Return the life of a campaign, drawn."""
    return campaign_life.mermaid()


_RANK = {MessageState.SENDING: 0, MessageState.UNKNOWN: 0, MessageState.SENT: 1}


def next_message_state(known: MessageState, told: MessageState) -> MessageState:
    """Return the state of a message after a receipt, in whatever order receipts come: what is final stays, nothing goes
    back.
    """
    if known in SETTLED or known is MessageState.WAITING:
        return known
    return told if _RANK.get(told, 2) >= _RANK[known] else known
