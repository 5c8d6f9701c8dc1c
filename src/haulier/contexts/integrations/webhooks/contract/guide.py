"""How to receive webhooks, and whether a signature is right."""

from typing import Annotated, Any, ClassVar

from msgspec import UNSET, UnsetType
from pydantic import Field, SecretStr

from haulier.contexts.integrations.webhooks.contract.settings import EventName
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request

MAX_BODY_LENGTH = 500_000
Header = Annotated[str, Field(min_length=1, max_length=1000)]


class GetWebhookGuide(Request):
    """What the guide describes."""

    event: EventName | None = None
    """Only this event."""


class WebhookEventDescription(Answer):
    """An event that is posted to webhooks."""

    name: Annotated[str, doc("What it is called.", "order.created")]
    meaning: Annotated[str, doc("What has happened, in the caller's language.")]
    subject: Annotated[str | UnsetType, doc("What `subject` looks like.", "order:{order_id}")] = UNSET
    for_customers: Annotated[bool, doc("Whether a customer's endpoint gets it.")]
    data: Annotated[dict[str, Any], doc("JSON Schema of `data`.")]


class WebhookGuide(Answer):
    """The guide for receivers."""

    result: bool = True
    text: Annotated[str, doc("The guide as Markdown.")]
    events: list[WebhookEventDescription]
    headers: Annotated[dict[str, str], doc("What stands in which header.")]
    retries_after_s: Annotated[list[int], doc("How long each attempt waits after the one before.")]
    tolerance_s: Annotated[int, doc("A request whose time is further from now is to be refused.", 300)]
    disabled_after_days: Annotated[int, doc("An endpoint that took nothing for so long is switched off.", 5)]
    kept_days: Annotated[int, doc("For so long the log is kept.", 30)]


class VerifyWebhookSignature(Request):
    """A request that a receiver got."""

    raw_text_fields: ClassVar[frozenset[str]] = frozenset({"payload"})

    payload: Annotated[str, Field(max_length=MAX_BODY_LENGTH, examples=['{"id":"msg_1"}'])]
    """The body, byte for byte: not parsed and written again."""
    webhook_id: Annotated[Header, Field(examples=["msg_1"])]
    """The header `webhook-id`."""
    webhook_timestamp: Annotated[Header, Field(examples=["1781100000"])]
    """The header `webhook-timestamp`."""
    webhook_signature: Annotated[Header, Field(examples=["v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="])]
    """The header `webhook-signature`."""
    secret: Annotated[
        SecretStr, Field(min_length=1, max_length=128, examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])
    ]
    """The endpoint's secret. It is neither kept nor logged."""
    tolerance_s: int = Field(default=300, ge=1, le=2**31)
    """How far the time may be from now, in seconds: raise it for a request from an old log."""


class WebhookSignatureResult(Answer):
    """Whether a receiver may believe the request."""

    result: bool = True
    valid: bool
    verdict: Annotated[str, doc("valid, mismatch, too_old, too_new, malformed or bad_secret.", "mismatch")]
    message: Annotated[str, doc("The same in words.")]
