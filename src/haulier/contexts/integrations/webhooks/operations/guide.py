"""For those who receive webhooks: how, of what, and whether a signature is right. Anyone may ask."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import UNSET

from haulier.contexts.integrations.webhooks.contract.guide import (
    AskWebhookGuide,
    SignatureVerified,
    VerifySignature,
    WebhookEventKind,
    WebhookGuide,
)
from haulier.contexts.integrations.webhooks.forgetting import KEPT
from haulier.contexts.integrations.webhooks.operations.settings import DEVELOPER
from haulier.contexts.integrations.webhooks.rules import signing
from haulier.contexts.integrations.webhooks.rules.codebook import CODEBOOK, Known
from haulier.contexts.integrations.webhooks.rules.retrying import DISABLE_AFTER, LADDER_S
from haulier.kernel.call import Call
from haulier.kernel.declarations import Account
from haulier.kernel.events import Event
from haulier.kernel.operation import GraphQL, Limit, Mcp, Rest, reads

ANYONE = {Account.PUBLIC}
BAD_SECRET = "bad_secret"
RECORD: Mapping[str, tuple[str, str]] = {
    "order": ("order", "The order, as GET /api/v1/orders/{order_id} answers."),
    "tracking": ("event", "The event that is new, in the native form of OTEP."),
}
"""What stands in `data` beside the news itself."""


@reads(
    "get_webhook_guide",
    audience=ANYONE,
    doors=(
        Rest("GET", "/v1/webhooks/guide"),
        GraphQL("webhookGuide"),
        Mcp("get_webhook_guide", DEVELOPER, title="Read how to receive webhooks"),
    ),
)
async def get_webhook_guide(call: Call, request: AskWebhookGuide) -> WebhookGuide:
    """Read which events there are, what a request looks like, how it is verified, and when it is sent again."""
    text = files("haulier.contexts.integrations.webhooks").joinpath("guide.md").read_text()
    records = {
        kind.__name__: kind for kind in Event.__subclasses__() if kind.__module__.startswith("haulier.contexts.")
    }
    return WebhookGuide(
        text=text.replace("{base_url}", call.house.base_url),
        events=[_kind(call, known, records) for known in CODEBOOK if request.event in (None, "*", known.name)],
        headers={
            signing.ID: call.say("webhook_header_id"),
            signing.TIMESTAMP: call.say("webhook_header_timestamp"),
            signing.SIGNATURE: call.say("webhook_header_signature"),
        },
        retries_after_s=list(LADDER_S),
        tolerance_s=signing.TOLERANCE_S,
        disabled_after_days=DISABLE_AFTER.days,
        kept_days=KEPT.days,
    )


def _kind(call: Call, known: Known, records: Mapping[str, type[Event]]) -> WebhookEventKind:
    return WebhookEventKind(
        name=known.name,
        meaning=call.say(known.wording),
        subject=f"{known.kind}:{{{known.by}}}" if known.by else UNSET,
        for_customers=known.for_customers,
        data=_schema(known, records.get(known.announced_as)),
    )


def _schema(known: Known, record: type[Event] | None) -> dict[str, Any]:
    """What is announced, one of several where it tells of several, and the record that is put beside it."""
    if record is None:
        return {"type": "object"}
    (whole,), parts = msgspec.json.schema_components([record], ref_template="{name}")
    found = parts[whole["$ref"]]
    if known.each:
        item = found["properties"][known.each]["items"]
        found = parts[item["$ref"]] if "$ref" in item else {"properties": {str(known.by): item}}
    beside = RECORD.get(known.kind or "")
    more = (
        {beside[0]: {"type": "object", "description": beside[1]}}
        if beside and known.name != "tracking.corrected"
        else {}
    )
    return {"type": "object", "properties": {**found["properties"], **more}}


@reads(
    "verify_webhook_signature",
    audience=ANYONE,
    doors=(
        Rest("POST", "/v1/webhooks/verify-signature"),
        GraphQL("webhookSignatureVerify"),
        Mcp("verify_webhook_signature", DEVELOPER, title="Verify the signature of a webhook"),
    ),
    limits=(Limit(120, 60, ("address",)),),
)
async def verify_webhook_signature(call: Call, request: VerifySignature) -> SignatureVerified:
    """Say whether a request is signed with a secret, and if not, why: for finding out why a receiver refuses it."""
    key = signing.key_of(request.secret.get_secret_value())
    told = {
        signing.ID: request.webhook_id,
        signing.TIMESTAMP: request.webhook_timestamp,
        signing.SIGNATURE: request.webhook_signature,
    }
    body = request.payload.encode("utf-8", "surrogatepass")
    found = signing.judge(told, body, key, call.now, request.tolerance_s).value if key else BAD_SECRET
    valid = found == signing.Standing.VALID.value
    return SignatureVerified(valid=valid, standing=found, message=call.say(f"webhook_signature_{found}"))
