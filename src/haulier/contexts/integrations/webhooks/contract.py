"""Deliveries, their attempts, and replays: requests and answers."""

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, UnsetType
from pydantic import Field, SecretStr

from haulier.contexts.integrations.webhooks.contract.settings import EventName, RecordId, Url, WebhookEndpointRef
from haulier.contexts.integrations.webhooks.rules.retries import WebhookDeliveryStatus
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.moments import Moment
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH

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
    message_id: Annotated[LogFilterText, Field(examples=["msg_Yk3…_0"])] | None = None
    """Only those of this message: the receiver's `webhook-id`."""
    since: Moment | None = None
    """Only those of what happened at this time or later."""
    cursor: Annotated[str, Field(max_length=MAX_CURSOR_LENGTH, examples=["WzE3XQ"])] | None = None
    """`next_cursor` of the answer before, for older ones."""
    limit: int = Field(default=50, ge=1, le=MAX_LOGS_PER_PAGE)
    """At most so many."""


class WebhookDeliveryRef(Request):
    """Which delivery."""

    delivery_log_id: RecordId
    """The delivery-log id."""


class RecoverWebhookDeliveries(WebhookEndpointRef):
    """Which missed deliveries to recover."""

    since: Moment
    """From when on."""


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
    message_id: Annotated[str, doc("The webhook-id: the same at every attempt and every endpoint.")]
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
