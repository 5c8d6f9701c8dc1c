"""The endpoints of a client and their events: requests and answers."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, UnsetType
from pydantic import AfterValidator, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.integrations.webhooks.rules.event_catalog import ALL_EVENTS, EVENT_BY_NAME
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import EmptyRequest as EmptyRequest
from haulier.kernel.operations.declaration import Request

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
