"""Request and response models for suppression lists."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from haulier.contexts.messaging.campaigns.contract.contacts import SmsPhone
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import NO_NUL, Reason, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest


class SuppressionList(StrEnum):
    """What a suppressed number gets no more."""

    ALL = "all"
    MARKETING = "marketing"
    NOTIFICATION = "notification"


class SuppressionReason(StrEnum):
    """Why a number is suppressed."""

    STOP_REPLY = "stop_reply"
    """The holder replied STOP. Only the holder can undo it, with START."""
    REVIEW = "review"
    """The holder's reply may mean STOP. It applies until staff review the reply."""
    COMPLAINT = "complaint"
    INVALID_NUMBER = "invalid_number"
    MANUAL = "manual"


class SuppressSmsNumber(Request):
    """Number to suppress."""

    phone: SmsPhone
    """Phone number with country code. It need not be a contact."""
    list: SuppressionList = SuppressionList.ALL
    """Kind of messages to suppress."""
    reason: SuppressionReason = SuppressionReason.MANUAL
    """Reason for the suppression."""
    note: str | None = Field(default=None, max_length=255, pattern=NO_NUL)
    """Note about the suppression."""


class LiftSmsSuppression(Request):
    """Suppression to lift."""

    sms_suppression_id: RecordId
    """ID of the suppression."""
    reason: Reason = Field(min_length=1, examples=["It was a slip."])
    """Reason for lifting the suppression."""


class ListSmsSuppressions(PageRequest):
    """Filters of suppressions."""

    list: SuppressionList | None = None
    """Filter by list."""
    phone: SmsPhone | None = None
    """Filter by number."""
    in_force: bool = True
    """If true, exclude lifted suppressions."""


class SmsSuppressionRecord(Answer):
    """Suppressed number."""

    id: int
    phone: Annotated[
        str, doc("Phone number; `[erased]` after its holder's data was erased. The suppression stays in force.")
    ]
    list: SuppressionList
    reason: SuppressionReason
    note: str | None
    added_at: datetime
    lifted_at: datetime | None
    lift_reason: str | None


class SmsSuppressionAnswer(Answer):
    """Single suppression."""

    result: bool = True
    suppression: SmsSuppressionRecord


class SmsSuppressionList(PagedAnswer):
    """A page of suppressions, newest first."""

    suppressions: list[SmsSuppressionRecord]
