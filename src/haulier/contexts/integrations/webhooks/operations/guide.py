"""The guide for receivers of webhooks, and the check of a signature. Public."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import UNSET

from haulier.contexts.identity.public import get_retention_settings
from haulier.contexts.integrations.webhooks.contract.guide import (
    GetWebhookGuide,
    VerifyWebhookSignature,
    WebhookEventDescription,
    WebhookGuide,
    WebhookSignatureResult,
)
from haulier.contexts.integrations.webhooks.operations.settings import DEVELOPER
from haulier.contexts.integrations.webhooks.rules import signatures
from haulier.contexts.integrations.webhooks.rules.event_catalog import EVENT_CATALOG, CatalogEvent
from haulier.contexts.integrations.webhooks.rules.retries import DISABLE_AFTER, RETRY_DELAYS_S
from haulier.contexts.integrations.webhooks.serializers.payloads import STATUS_CHANGED
from haulier.kernel.background.events import DomainEvent
from haulier.kernel.call import Call
from haulier.kernel.data.personal_data import RecordKind, retention_days
from haulier.kernel.operations.declaration import GraphQL, Mcp, RateLimit, Rest, reads
from haulier.kernel.operations.enums import Account

ANYONE = {Account.PUBLIC}
BAD_SECRET = "bad_secret"
EMBEDDED_RECORDS: Mapping[str, tuple[str, str]] = {
    "order": ("order", "The order, as GET /api/v1/orders/{order_id} answers."),
    "tracking": ("event", "The event that is new, in the native form of OTEP."),
}
"""The record that `data` has beside the event itself."""
OUTCOME_DESCRIPTION = (
    "The outcome of a delivery; null where none was reported: handed_to, name, left_at and pieces "
    "(total, delivered, left)."
)


@reads(
    "get_webhook_guide",
    audience=ANYONE,
    doors=(
        Rest("GET", "/v1/webhooks/guide"),
        GraphQL("webhookGuide"),
        Mcp("get_webhook_guide", DEVELOPER, title="Read how to receive webhooks"),
    ),
)
async def get_webhook_guide(call: Call, request: GetWebhookGuide) -> WebhookGuide:
    """Read which events there are, what a request looks like, how it is verified, and when it is sent again."""
    text = files("haulier.contexts.integrations.webhooks").joinpath("guide.md").read_text()
    chosen = await get_retention_settings(call.work, call.client_id) if call.principal.business else {}
    records = {
        kind.__name__: kind for kind in DomainEvent.__subclasses__() if kind.__module__.startswith("haulier.contexts.")
    }
    return WebhookGuide(
        text=text.replace("{base_url}", call.app.base_url),
        events=[
            _event_description(call, entry, records)
            for entry in EVENT_CATALOG
            if request.event in (None, "*", entry.name)
        ],
        headers={
            signatures.ID_HEADER: call.translate("webhook_header_id"),
            signatures.TIMESTAMP_HEADER: call.translate("webhook_header_timestamp"),
            signatures.SIGNATURE_HEADER: call.translate("webhook_header_signature"),
        },
        retries_after_s=list(RETRY_DELAYS_S),
        tolerance_s=signatures.TOLERANCE_S,
        disabled_after_days=DISABLE_AFTER.days,
        kept_days=retention_days(RecordKind.WEBHOOK_DELIVERIES, chosen),
    )


def _event_description(
    call: Call, entry: CatalogEvent, records: Mapping[str, type[DomainEvent]]
) -> WebhookEventDescription:
    return WebhookEventDescription(
        name=entry.name,
        meaning=call.translate(entry.text_id),
        subject=f"{entry.kind}:{{{entry.subject_field}}}" if entry.subject_field else UNSET,
        for_customers=entry.for_customers,
        data=_event_data_schema(entry, records.get(entry.record_name)),
    )


def _event_data_schema(entry: CatalogEvent, record: type[DomainEvent] | None) -> dict[str, Any]:
    """The schema of `data`: the event, one item of it where it lists several, and the record beside it."""
    if record is None:
        return {"type": "object"}
    (whole,), parts = msgspec.json.schema_components([record], ref_template="{name}")
    schema = parts[whole["$ref"]]
    if entry.items_field:
        item = schema["properties"][entry.items_field]["items"]
        schema = parts[item["$ref"]] if "$ref" in item else {"properties": {str(entry.subject_field): item}}
    beside = EMBEDDED_RECORDS.get(entry.kind or "")
    more: dict[str, Any] = (
        {beside[0]: {"type": "object", "description": beside[1]}}
        if beside and entry.name != "tracking.corrected"
        else {}
    )
    if entry.name == STATUS_CHANGED:
        more["outcome"] = {"type": ["object", "null"], "description": OUTCOME_DESCRIPTION}
    return {"type": "object", "properties": {**schema["properties"], **more}}


@reads(
    "verify_webhook_signature",
    audience=ANYONE,
    doors=(
        Rest("POST", "/v1/webhooks/verify-signature"),
        GraphQL("webhookSignatureVerify"),
        Mcp("verify_webhook_signature", DEVELOPER, title="Verify the signature of a webhook"),
    ),
    limits=(RateLimit(120, 60, ("address",)),),
)
async def verify_webhook_signature(call: Call, request: VerifyWebhookSignature) -> WebhookSignatureResult:
    """Say whether a request is signed with a secret, and if not, why: for finding out why a receiver refuses it."""
    key = signatures.decode_secret_key(request.secret.get_secret_value())
    headers = {
        signatures.ID_HEADER: request.webhook_id,
        signatures.TIMESTAMP_HEADER: request.webhook_timestamp,
        signatures.SIGNATURE_HEADER: request.webhook_signature,
    }
    body = request.payload.encode("utf-8", "surrogatepass")
    verdict = (
        signatures.verify_signature(headers, body, key, call.now, request.tolerance_s).value if key else BAD_SECRET
    )
    valid = verdict == signatures.SignatureVerification.VALID.value
    return WebhookSignatureResult(valid=valid, verdict=verdict, message=call.translate(f"webhook_signature_{verdict}"))
