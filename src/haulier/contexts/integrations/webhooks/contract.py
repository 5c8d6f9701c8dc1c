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
    """Destination of the events: an https address. It identifies the endpoint."""
    events: Annotated[list[EventName], Field(min_length=1, max_length=len(EVENT_NAMES))]
    """Names of events, or `*` for every one. The guide lists them."""
    enabled: bool = True
    """If false, the endpoint is paused, and events in the meantime are not delivered later."""
    description: (
        Annotated[str, StringConstraints(max_length=MAX_DESCRIPTION_LENGTH, pattern=r"^[^\x00-\x1f\x7f]*$")] | None
    ) = Field(default=None, examples=["Order news for our ERP"])
    """A note on its purpose."""
    customer_id: RecordId | None = None
    """Customer that the endpoint belongs to. It receives only the customer's own orders, without hidden prices."""


class UpdateWebhookSettings(Request):
    """The complete list of endpoints."""

    endpoints: Annotated[list[WebhookEndpointSettings], Field(max_length=MAX_ENDPOINTS)]
    """All endpoints. Known addresses keep their secret and log; missing ones are deleted."""

    @model_validator(mode="after")
    def _are_different(self) -> "UpdateWebhookSettings":
        if len({endpoint.url for endpoint in self.endpoints}) < len(self.endpoints):
            raise PydanticCustomError("webhook_url_twice", "an address stands twice")
        return self


class WebhookEndpointRef(Request):
    """Reference to a webhook endpoint."""

    endpoint_id: RecordId
    """ID of the endpoint."""


class RotateWebhookSecret(WebhookEndpointRef):
    """An endpoint to get a new secret."""

    overlap_h: int = Field(default=24, ge=0, le=MAX_OVERLAP_H)
    """Hours for which the old secret signs as well, for a change without interruption."""


class WebhookEndpoint(Answer):
    """An address, its events, and its health."""

    id: int
    url: str
    events: list[str]
    enabled: bool
    description: str | None
    customer_id: Annotated[int | None, doc("Customer that it belongs to; null for the business.")]
    created_at: datetime
    secret_set_at: datetime
    old_secret_until: Annotated[datetime | None, doc("Time until which the previous secret signs as well.")]
    failures: Annotated[int, doc("Failed attempts since the last accepted one.")]
    failing_since: datetime | None
    disabled_at: Annotated[datetime | None, doc("Time when it was disabled automatically, or null.")]
    disabled_why: Annotated[
        str | None,
        doc(
            "gone: it answered 410. failing: it accepted nothing for days. set_up_ended: the user or API "
            "token that set it up has ended; a signed-in admin can enable it again.",
            "failing",
        ),
    ]
    set_up_by: Annotated[int | None, doc("User who set it up; null for the business.")]
    set_up_with: Annotated[int | None, doc("API token that set it up; null for a signed-in user.")]
    secret: Annotated[str | UnsetType, doc("Signing secret, in the only response that shows it.", "whsec_MfKQ…")] = (
        UNSET
    )


class WebhookEventUrls(Answer):
    """Endpoints of an event."""

    event: str
    urls: list[str]


class WebhookSettings(Answer):
    """The endpoints of the business and their events."""

    result: bool = True
    endpoints: list[WebhookEndpoint]
    callbacks: Annotated[list[WebhookEventUrls], doc("Endpoints by event, without paused ones.")]
    secrets_encrypted: Annotated[bool, doc("True if secrets are stored encrypted.")]
    private_addresses: Annotated[bool, doc("True if addresses of private networks are allowed.")]


class WebhookEndpointAnswer(Answer):
    """One endpoint."""

    result: bool = True
    endpoint: WebhookEndpoint


MAX_BODY_LENGTH = 500_000
Header = Annotated[str, Field(min_length=1, max_length=1000)]


class GetWebhookGuide(Request):
    """Filter of the guide."""

    event: EventName | None = None
    """Only this event."""


class WebhookEventDescription(Answer):
    """An event that is posted to webhooks."""

    name: Annotated[str, doc("Name of the event.", "order.created")]
    meaning: Annotated[str, doc("Meaning of the event, in the caller's language.")]
    subject: Annotated[str | UnsetType, doc("Format of `subject`.", "order:{order_id}")] = UNSET
    for_customers: Annotated[bool, doc("True if customers' endpoints receive it.")]
    data: Annotated[dict[str, Any], doc("JSON Schema of `data`.")]


class WebhookGuide(Answer):
    """The guide for receivers."""

    result: bool = True
    text: Annotated[str, doc("The guide as Markdown.")]
    events: list[WebhookEventDescription]
    headers: Annotated[dict[str, str], doc("Contents of each header.")]
    retries_after_s: Annotated[list[int], doc("Seconds that each attempt waits after the previous one.")]
    tolerance_s: Annotated[
        int, doc("Maximum difference in seconds between a request's time and now. Reject older requests.", 300)
    ]
    disabled_after_days: Annotated[int, doc("Days without an accepted request after which an endpoint is disabled.", 5)]
    kept_days: Annotated[int, doc("Days for which the log is stored.", 30)]


class VerifyWebhookSignature(Request):
    """A request to a receiver."""

    raw_text_fields: ClassVar[frozenset[str]] = frozenset({"payload"})

    payload: Annotated[str, Field(max_length=MAX_BODY_LENGTH, examples=['{"id":"msg_1"}'])]
    """Body, byte for byte: not parsed and serialised again."""
    webhook_id: Annotated[Header, RefersTo(None), Field(examples=["msg_1"])]
    """The header `webhook-id`."""
    webhook_timestamp: Annotated[Header, Field(examples=["1781100000"])]
    """The header `webhook-timestamp`."""
    webhook_signature: Annotated[Header, Field(examples=["v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="])]
    """The header `webhook-signature`."""
    secret: Annotated[
        SecretStr, Field(min_length=1, max_length=128, examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])
    ]
    """Secret of the endpoint. It is neither stored nor logged."""
    tolerance_s: int = Field(default=300, ge=1, le=2**31)
    """Maximum difference between the request's time and now, in seconds. Raise it for requests from an old log."""


class WebhookSignatureResult(Answer):
    """Result of verifying a signature."""

    result: bool = True
    valid: bool
    verdict: Annotated[str, doc("valid, mismatch, too_old, too_new, malformed or bad_secret.", "mismatch")]
    message: Annotated[str, doc("Verdict in words.")]


MAX_LOGS_PER_PAGE = 200
LogFilterText = Annotated[str, Field(min_length=1, max_length=120, pattern=r"^[^\x00-\x1f\x7f]+$")]


class ListWebhookDeliveries(Request):
    """Filters for deliveries. All filters must match."""

    endpoint_id: RecordId | None = None
    """Filter by endpoint."""
    event: EventName | None = None
    """Filter by event."""
    status: WebhookDeliveryStatus | None = None
    """Filter by status."""
    subject: Annotated[LogFilterText, Field(examples=["order:17"])] | None = None
    """Filter by subject, such as `order:17` or `tracking:HL…`."""
    message_id: Annotated[LogFilterText, RefersTo(None), Field(examples=["msg_Yk3…_0"])] | None = None
    """Filter by message: the receiver's `webhook-id`."""
    since: Moment | None = None
    """Only events at this time or later."""
    cursor: Annotated[str, Field(max_length=MAX_CURSOR_LENGTH, examples=["WzE3XQ"])] | None = None
    """`next_cursor` of the previous response."""
    limit: int = Field(default=50, ge=1, le=MAX_LOGS_PER_PAGE)
    """Maximum number of results."""


class WebhookDeliveryRef(Request):
    """Reference to a delivery."""

    delivery_log_id: RecordId
    """ID of the delivery log."""


class RecoverWebhookDeliveries(WebhookEndpointRef):
    """Missed deliveries to recover."""

    since: Moment
    """Start of the period."""


class SendTestWebhook(Request):
    """A test message."""

    url: Url
    """Address to post to. Addresses of endpoints are signed with their own secret."""
    secret: (
        Annotated[SecretStr, Field(min_length=24, max_length=128, examples=["whsec_0123456789abcdefghijklmn"])] | None
    ) = None
    """Signing secret, `whsec_…`. Without one, and without an endpoint at the address, a new one is created and
    shown."""


class WebhookDelivery(Answer):
    """A message for one endpoint."""

    id: Annotated[int, doc("ID of the delivery log.")]
    endpoint_id: Annotated[int | None, doc("Endpoint; null for a test of another address.")]
    url: str
    message_id: Annotated[ForeignId, doc("The webhook-id, equal for every attempt and endpoint.")]
    event: str
    subject: str | None
    sequence: Annotated[int, doc("Sequence number, which grows with the events of a subject.")]
    status: Annotated[str, doc("pending, delivered, failed (given up) or skipped (no endpoint).", "delivered")]
    attempts: int
    created_at: datetime
    next_attempt_at: datetime | None
    ended_at: datetime | None
    last_status: Annotated[int | None, doc("HTTP status of the last attempt; null without a response.", 200)]
    last_fault: Annotated[
        str | None,
        doc(
            "Reason for a missing response: address_refused, name_unknown, unreachable, no_tls, timeout, "
            "broken_off; or secret_lost, disabled, removed, not_permitted (the endpoint's user may not read "
            "this event).",
            "timeout",
        ),
    ]
    last_latency_ms: int | None


class WebhookDeliveryList(Answer):
    """Deliveries, newest first."""

    result: bool = True
    deliveries: list[WebhookDelivery]
    next_cursor: Annotated[str | None, doc("Cursor of older deliveries; null at the end.")]


class WebhookAttempt(Answer):
    """One request and its response."""

    number: int
    at: datetime
    status: int | None
    fault: str | None
    latency_ms: int
    response: Annotated[str, doc("The beginning of the receiver's response, at most 2048 bytes.")]
    replayed: Annotated[bool, doc("True if a user requested it.")]


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
    """Deliveries that will be posted again."""

    result: bool = True
    delivery_log_ids: list[int]
    more: Annotated[bool, doc("True if further deliveries remain. Call again.")]
    message: str


class WebhookTestResult(Answer):
    """The result of a test delivery."""

    result: bool = True
    delivered: Annotated[
        bool, doc("True if it was accepted with a 2xx status. False in a dry run, which posts nothing.")
    ]
    delivery_log_id: int
    status: int | None
    fault: str | None
    latency_ms: int
    response: str
    headers: Annotated[dict[str, str], doc("Webhook headers of the request.")]
    body: Annotated[str, doc("The body, byte for byte.")]
    secret: Annotated[str | UnsetType, doc("Signing secret, if created for this test.")] = UNSET
