"""Lists of numbers that get no texts, in requests and answers."""

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
    """Its holder answered STOP; only its holder takes that back, with START."""
    REVIEW = "review"
    """Its holder answered something that may mean STOP; until a person has read it."""
    COMPLAINT = "complaint"
    INVALID_NUMBER = "invalid_number"
    MANUAL = "manual"


class SuppressSmsNumber(Request):
    """A number that shall get no texts."""

    phone: SmsPhone
    """A number with its country code; it need not be a contact."""
    list: SuppressionList = SuppressionList.ALL
    """What it gets no more."""
    reason: SuppressionReason = SuppressionReason.MANUAL
    """Why."""
    note: str | None = Field(default=None, max_length=255, pattern=NO_NUL)
    """What else there is to say."""


class LiftSmsSuppression(Request):
    """Which suppression ends, and why."""

    sms_suppression_id: RecordId
    """The suppression's id."""
    reason: Reason = Field(min_length=1, examples=["It was a slip."])
    """Why it ends."""


class ListSmsSuppressions(PageRequest):
    """Which suppressions."""

    list: SuppressionList | None = None
    """Only those of a list."""
    phone: SmsPhone | None = None
    """Only those of a number."""
    in_force: bool = True
    """Leave out those that were lifted."""


class SmsSuppressionRecord(Answer):
    """A number on a list."""

    id: int
    phone: Annotated[str, doc("The number; [erased] once its holder's data was erased, and still in force.")]
    list: SuppressionList
    reason: SuppressionReason
    note: str | None
    added_at: datetime
    lifted_at: datetime | None
    lift_reason: str | None


class SmsSuppressionAnswer(Answer):
    """One suppression."""

    result: bool = True
    suppression: SmsSuppressionRecord


class SmsSuppressionList(PagedAnswer):
    """A page of suppressions, newest first."""

    suppressions: list[SmsSuppressionRecord]
