"""Request and response models of webhooks."""

from datetime import datetime
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, UnsetType
from pydantic import AfterValidator, Field, SecretStr, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.integrations.webhooks.rules import ALL_EVENTS, EVENT_BY_NAME, WebhookDeliveryStatus
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import EmptyRequest as EmptyRequest
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.ids import ForeignId, RefersTo
from haulier.kernel.values.moments import Moment
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH

MAX_URL_LENGTH = 1000
MAX_DESCRIPTION_LENGTH = 200
MAX_ENDPOINTS = 50
MAX_OVERLAP_H = 168
EVENT_NAMES = [ALL_EVENTS, *EVENT_BY_NAME]
RecordId = Annotated[int, Field(ge=1, le=2**53 - 1)]
Url = Annotated[
    str,
    Field(
        min_length=8,
        max_length=MAX_URL_LENGTH,
        examples=["https://receiver.example/haulier"],
        json_schema_extra={"format": "uri"},
    ),
]


def _check_event_name(name: str) -> str:
    if name not in EVENT_NAMES:
        raise PydanticCustomError("webhook_event_unknown", "no such event")
    return name


EventName = Annotated[
    str,
    Field(min_length=1, max_length=60, examples=["order.created"], json_schema_extra={"enum": [*EVENT_NAMES]}),
    AfterValidator(_check_event_name),
]


class WebhookEndpointSettings(Request):
    """An address, and the events posted to it."""

    url: Url
    """Where to post: an https address. It is what tells one endpoint from another."""
    events: Annotated[list[EventName], Field(min_length=1, max_length=len(EVENT_NAMES))]
    """Names of events, or `*` for every one. The guide lists them."""
    enabled: bool = True
    """False pauses it: what happens meanwhile is not kept for it."""
    description: (
        Annotated[str, StringConstraints(max_length=MAX_DESCRIPTION_LENGTH, pattern=r"^[^\x00-\x1f\x7f]*$")] | None
    ) = Field(default=None, examples=["Order news for our ERP"])
    """A note on its purpose."""
    customer_id: RecordId | None = None
    """The customer whom it belongs to: it is then told of their own orders alone, without prices that are hidden from them."""


class UpdateWebhookSettings(Request):
    """Every address, as they are to be from now on."""

    endpoints: Annotated[list[WebhookEndpointSettings], Field(max_length=MAX_ENDPOINTS)]
    """All of them: one with a known address keeps its secret and its log, one that is left out is taken away."""

    @model_validator(mode="after")
    def _are_different(self) -> "UpdateWebhookSettings":
        if len({endpoint.url for endpoint in self.endpoints}) < len(self.endpoints):
            raise PydanticCustomError("webhook_url_twice", "an address stands twice")
        return self


class WebhookEndpointRef(Request):
    """Which endpoint."""

    endpoint_id: RecordId
    """The endpoint's id."""


class RotateWebhookSecret(WebhookEndpointRef):
    """An endpoint that is to get another secret."""

    overlap_h: int = Field(default=24, ge=0, le=MAX_OVERLAP_H)
    """For so many hours the old secret signs too, so that receivers can change over without a pause."""


class WebhookEndpoint(Answer):
    """An address, its events, and its health."""

    id: int
    url: str
    events: list[str]
    enabled: bool
    description: str | None
    customer_id: Annotated[int | None, doc("The customer whom it belongs to; null for the business itself.")]
    created_at: datetime
    secret_set_at: datetime
    old_secret_until: Annotated[datetime | None, doc("Until when the secret before signs too.")]
    failures: Annotated[int, doc("Attempts that failed since one was last taken.")]
    failing_since: datetime | None
    disabled_at: Annotated[datetime | None, doc("When we switched it off; null unless we did.")]
    disabled_why: Annotated[
        str | None,
        doc(
            "gone: it answered 410. failing: it accepted nothing for days. set_up_ended: the user or the API token that "
            "set it up has ended; a signed-in admin can enable it again.",
            "failing",
        ),
    ]
    set_up_by: Annotated[int | None, doc("The user who set it up; null for the business itself.")]
    set_up_with: Annotated[int | None, doc("The API token it was set up with; null for a signed-in user.")]
    secret: Annotated[str | UnsetType, doc("What signs, in the one answer that shows it.", "whsec_MfKQ…")] = UNSET


class WebhookEventUrls(Answer):
    """Where one event is posted."""

    event: str
    urls: list[str]


class WebhookSettings(Answer):
    """The endpoints of the business and their events."""

    result: bool = True
    endpoints: list[WebhookEndpoint]
    callbacks: Annotated[list[WebhookEventUrls], doc("The same by event, paused ones left out.")]
    secrets_encrypted: Annotated[bool, doc("Whether secrets lie encrypted in the database.")]
    private_addresses: Annotated[bool, doc("Whether addresses of private networks are allowed here.")]


class WebhookEndpointAnswer(Answer):
    """One endpoint."""

    result: bool = True
    endpoint: WebhookEndpoint


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
    webhook_id: Annotated[Header, RefersTo(None), Field(examples=["msg_1"])]
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


MAX_LOGS_PER_PAGE = 200
LogFilterText = Annotated[str, Field(min_length=1, max_length=120, pattern=r"^[^\x00-\x1f\x7f]+$")]


class ListWebhookDeliveries(Request):
    """Which deliveries; all that is given must fit."""

    endpoint_id: RecordId | None = None
    """Only those for this endpoint."""
    event: EventName | None = None
    """Only those of this event."""
    status: WebhookDeliveryStatus | None = None
    """Only those with this status."""
    subject: Annotated[LogFilterText, Field(examples=["order:17"])] | None = None
    """Only those about this, such as `order:17` or `tracking:HL…`."""
    message_id: Annotated[LogFilterText, RefersTo(None), Field(examples=["msg_Yk3…_0"])] | None = None
    """Only those of this message: the receiver's `webhook-id`."""
    since: Moment | None = None
    """Only those of what happened at this time or later."""
    cursor: Annotated[str, Field(max_length=MAX_CURSOR_LENGTH, examples=["WzE3XQ"])] | None = None
    """`next_cursor` of the answer before, for older ones."""
    limit: int = Field(default=50, ge=1, le=MAX_LOGS_PER_PAGE)
    """Maximum number of results."""


class WebhookDeliveryRef(Request):
    """Which delivery."""

    delivery_log_id: RecordId
    """The delivery-log id."""


class RecoverWebhookDeliveries(WebhookEndpointRef):
    """Which missed deliveries to recover."""

    since: Moment
    """Start of the period."""


class SendTestWebhook(Request):
    """A message that only shows that messages arrive."""

    url: Url
    """Where to post it. An address of the settings is signed for with its own secret."""
    secret: (
        Annotated[SecretStr, Field(min_length=24, max_length=128, examples=["whsec_0123456789abcdefghijklmn"])] | None
    ) = None
    """What to sign with, `whsec_…`. Without one, and without an endpoint there, a new one is made and shown."""


class WebhookDelivery(Answer):
    """A message for one endpoint."""

    id: Annotated[int, doc("The delivery-log id.")]
    endpoint_id: Annotated[int | None, doc("Null for a test of an address that no endpoint has.")]
    url: str
    message_id: Annotated[ForeignId, doc("The webhook-id: the same at every attempt and every endpoint.")]
    event: str
    subject: str | None
    sequence: Annotated[int, doc("Grows with what happens to a subject.")]
    status: Annotated[str, doc("pending, delivered, failed (given up) or skipped (nobody there).", "delivered")]
    attempts: int
    created_at: datetime
    next_attempt_at: datetime | None
    ended_at: datetime | None
    last_status: Annotated[int | None, doc("The HTTP status of the last attempt; null when nothing came back.", 200)]
    last_fault: Annotated[
        str | None,
        doc(
            "Why nothing came back: address_refused, name_unknown, unreachable, no_tls, timeout, broken_off; or secret_lost, "
            "disabled, removed, not_permitted (whoever set it up may not read this event).",
            "timeout",
        ),
    ]
    last_latency_ms: int | None


class WebhookDeliveryList(Answer):
    """Deliveries, newest first."""

    result: bool = True
    deliveries: list[WebhookDelivery]
    next_cursor: Annotated[str | None, doc("Continues with what is older; null at the end.")]


class WebhookAttempt(Answer):
    """One request and its response."""

    number: int
    at: datetime
    status: int | None
    fault: str | None
    latency_ms: int
    response: Annotated[str, doc("The beginning of the receiver's response, at most 2048 bytes.")]
    replayed: Annotated[bool, doc("Whether somebody asked for it.")]


class WebhookDeliveryDetail(WebhookDelivery):
    """A delivery with its body and every attempt at it."""

    payload: Annotated[
        dict[str, Any], doc("The message. `data` is empty for callers who cannot read the record itself.")
    ]
    data_hidden: Annotated[bool, doc("True when `data` was emptied for this caller.")]
    log: list[WebhookAttempt]


class WebhookDeliveryAnswer(Answer):
    """One delivery."""

    result: bool = True
    delivery: WebhookDeliveryDetail


class WebhookReplayResult(Answer):
    """What is posted once more, in a moment."""

    result: bool = True
    delivery_log_ids: list[int]
    more: Annotated[bool, doc("True when further deliveries are to be recovered: ask again.")]
    message: str


class WebhookTestResult(Answer):
    """The result of a test delivery."""

    result: bool = True
    delivered: Annotated[bool, doc("Whether it was accepted: any 2xx. False in a dry run, which posts nothing.")]
    delivery_log_id: int
    status: int | None
    fault: str | None
    latency_ms: int
    response: str
    headers: Annotated[dict[str, str], doc("The headers that made it a webhook.")]
    body: Annotated[str, doc("The body, byte for byte.")]
    secret: Annotated[str | UnsetType, doc("What signed it, where it was made for this test.")] = UNSET
