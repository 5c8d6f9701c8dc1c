"""Answers of recipients and notices of providers, in requests and answers."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import Field

from haulier.contexts.messaging.campaigns.rules.keywords import ReplyMeaning
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import DocumentRequest, Request
from haulier.kernel.operations.fields import ID_MAX, RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

_FORM = {"title": "SmsNotice", "type": "object", "description": "A form as Twilio or Vonage writes it."}
_JSON = {"title": "SmsNoticeDocument", "type": "object", "description": "A document as Vonage writes it."}


class ReceiveSmsEvent(DocumentRequest):
    """A receipt, or an answer of a recipient, as the provider sends it."""

    media_types: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "application/x-www-form-urlencoded": _FORM,
        "application/json": _JSON,
    }
    endpoint_key: Annotated[str, Field(max_length=60, examples=["u2Fy0c"])] = ""
    """The end of the path that `get_sms_marketing_settings` shows."""
    message: Annotated[int | None, Field(ge=1, le=ID_MAX)] = None
    """The text that a receipt is of, as we named it in the address."""
    signature: Annotated[str, Field(max_length=1000, examples=["RSOYDt4T1cUTdK1PDd93/VVr8B8="])] = ""
    """`X-Twilio-Signature`; Vonage signs within the notice."""


class SmsEventReceived(Answer):
    """That a notice was taken."""

    result: bool = True
    repeated: Annotated[bool, doc("The same notice had come before, or was of no concern.")]


class ReplyOutcome(StrEnum):
    """What a person made of an answer."""

    OPTED_OUT = "opted_out"
    """They want no more texts."""
    ANSWERED = "answered"
    """They want something else."""


class SmsReplyRef(Request):
    """Which answer."""

    sms_reply_id: RecordId
    """The answer's id."""


class ResolveSmsReply(SmsReplyRef):
    """What an answer meant."""

    outcome: ReplyOutcome
    """What they want."""


class ListSmsReplies(PageRequest):
    """Which answers."""

    needs_person: bool | None = None
    """Only those that a person must read; or only the others."""


class SmsReplyRecord(Answer):
    """What somebody answered."""

    id: int
    phone: str
    contact_id: int | None
    campaign_id: Annotated[int | None, doc("The campaign whose text was the last to the number.")]
    text: str
    meaning: ReplyMeaning
    needs_person: bool
    resolution: ReplyOutcome | None
    received_at: datetime
    resolved_at: datetime | None


class SmsReplyAnswer(Answer):
    """One answer."""

    result: bool = True
    reply: SmsReplyRecord


class SmsReplyList(PagedAnswer):
    """A page of answers, newest first."""

    replies: list[SmsReplyRecord]


class FollowSmsLink(Request):
    """Which short link."""

    code: str = Field(min_length=7, max_length=50, pattern="^[a-z0-9_-]+$", examples=["1-1-1-abcd"])
    """The end of its address."""


class SmsLinkTarget(Answer):
    """Where a short link leads."""

    result: bool = True
    url: str
