"""Request and response models for replies and provider notifications."""

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
    """Delivery receipt or reply, as sent by the provider."""

    media_types: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "application/x-www-form-urlencoded": _FORM,
        "application/json": _JSON,
    }
    endpoint_key: Annotated[str, Field(max_length=60, examples=["u2Fy0c"])] = ""
    """The end of the path that `get_sms_marketing_settings` shows."""
    message: Annotated[int | None, Field(ge=1, le=ID_MAX)] = None
    """ID of the message that a receipt is about, from the callback URL."""
    signature: Annotated[str, Field(max_length=1000, examples=["RSOYDt4T1cUTdK1PDd93/VVr8B8="])] = ""
    """`X-Twilio-Signature` header. Vonage signs within the notification."""


class SmsEventReceived(Answer):
    """Confirmation of a received notification."""

    result: bool = True
    repeated: Annotated[bool, doc("If true, the notification was a repeat or not relevant.")]


class ReplyOutcome(StrEnum):
    """Meaning of a reply, as reviewed by staff."""

    OPTED_OUT = "opted_out"
    """The contact opted out."""
    ANSWERED = "answered"
    """The reply has another meaning."""


class SmsReplyRef(Request):
    """Reference to a reply."""

    sms_reply_id: RecordId
    """ID of the reply."""


class ResolveSmsReply(SmsReplyRef):
    """Meaning of a reply."""

    outcome: ReplyOutcome
    """Meaning of the reply."""


class ListSmsReplies(PageRequest):
    """Filters of replies."""

    needs_person: bool | None = None
    """If true, only replies that staff must review; if false, only the others."""


class SmsReplyRecord(Answer):
    """Reply of a recipient."""

    id: int
    phone: str
    contact_id: int | None
    campaign_id: Annotated[int | None, doc("Campaign of the last message to the number.")]
    text: str
    meaning: ReplyMeaning
    needs_person: bool
    resolution: ReplyOutcome | None
    received_at: datetime
    resolved_at: datetime | None


class SmsReplyAnswer(Answer):
    """Single reply."""

    result: bool = True
    reply: SmsReplyRecord


class SmsReplyList(PagedAnswer):
    """Page of replies, newest first."""

    replies: list[SmsReplyRecord]


class FollowSmsLink(Request):
    """Reference to a short link."""

    code: str = Field(min_length=7, max_length=50, pattern="^[a-z0-9_-]+$", examples=["1-1-1-abcd"])
    """The end of its address."""


class SmsLinkTarget(Answer):
    """Target of a short link."""

    result: bool = True
    url: str
