"""Fields that strangers can write are declared and marked in answers to agents."""

from collections.abc import Iterator, Mapping
from typing import Any

import httpx
from tests.api.mcp.mcp_servers import McpClient, serve_mcp
from tests.contexts.control_tower.approvals.makers import create_order_as
from tests.support.app import App

from haulier.api.mcp.results import UNTRUSTED_META_KEY
from haulier.api.mcp.tools import untrusted_paths_of
from haulier.app import registry
from haulier.kernel.operations.enums import OFFICE, Effect
from haulier.kernel.operations.untrusted_text import UNTRUSTED_FIELDS

NO_PROSE = {
    "encoding": "the name of a character encoding",
    "appCode": "of an app of the business",
    "aftership_signature": "a digest",
    "after": "a place in a list",
    "app_version": "digits and dots",
    "business_name": "by whoever sets the server up, and never answered under this name",
    "barcode": "of a piece of the order, refused when it is not",
    "carrier": "a code",
    "challenge_id": "ours",
    "clientCode": "of the business",
    "client_id": "ours, or an address",
    "shippo_signature": "a digest",
    "client_ref": "letters and digits",
    "client_uri": "an address",
    "code": "digits",
    "code_challenge": "a digest",
    "country_of_origin": "a code",
    "currency": "a code",
    "goods_currency": "a code",
    "content": "a file",
    "country": "a code",
    "declared_currency": "a code",
    "device_id": "never shown",
    "document": "a file, whose rows become fields of an order",
    "email": "an address",
    "endpoint_key": "ours, never shown",
    "grant_types": "of a list",
    "hazard_class": "digits",
    "hmac_signature": "a header, never shown",
    "hs_code": "digits",
    "id": "of an event, never shown",
    "mapping": "names of columns, never shown",
    "nmfc_item": "digits",
    "nonce": "never shown",
    "origin_country": "a code",
    "p256dh": "a key",
    "phone": "digits",
    "photo_urls": "addresses",
    "photos": "files",
    "pin": "digits",
    "postal_code": "20 characters",
    "postal_prefixes": "of postal codes",
    "prefer": "a header, never shown",
    "product_code": "of a list",
    "quick_reply": "a code",
    "quote_id": "ours, refused when it is not",
    "rate_id": "ours, refused when it is not",
    "redirect_uri": "an address",
    "redirect_uris": "addresses",
    "resource": "an address",
    "response_types": "of a list",
    "return_reason": "of a list",
    "rsa_key_id": "a header, never shown",
    "rsa_signature": "a header, never shown",
    "scope": "of a list",
    "serial": "of a device, refused when it is not",
    "serials": "of devices, refused when they are not",
    "service": "of a list",
    "service_code": "of a list",
    "services": "of a list",
    "signature": "a file",
    "signature_url": "an address",
    "signed_at": "a header, never shown",
    "time_zone": "of a list",
    "tool": "of a list",
    "un_number": "a code",
    "tag": "of a bag, refused when it is not",
    "tags": "of bags, refused when they are not",
    "tracking_number": "ours or a carrier's, refused when it is not",
    "upload_id": "names an upload",
}
"""Texts that a stranger may send and that hold no prose, with the reason."""
TIMES = {"earliest", "latest", "start", "end"}


def texts(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], name: str, inside: tuple[str, ...]
) -> Iterator[str]:
    """Yield the names of free-text members of a request, at any depth."""
    if "$ref" in schema:
        record = schema["$ref"].rsplit("/", 1)[1]
        if record not in inside:
            yield from texts(definitions[record], definitions, name, (*inside, record))
        return
    if schema.get("type") == "string" and not schema.keys() & {"enum", "const", "format"}:
        yield name
    for part in (part for key in ("anyOf", "oneOf", "allOf") for part in schema.get(key, ())):
        yield from texts(part, definitions, name, inside)
    for part in (schema.get(key) for key in ("items", "additionalProperties")):
        if isinstance(part, dict):
            yield from texts(part, definitions, name, inside)
    for member, part in schema.get("properties", {}).items():
        yield from texts(part, definitions, member, inside)


def test_every_text_from_outside_users_is_declared() -> None:
    written: set[str] = set()
    for operation in registry():
        if operation.effect is Effect.WRITE and operation.audience - OFFICE:
            schema = operation.request.model_json_schema()
            written |= set(texts(schema, schema.get("$defs", {}), "", ()))
    passwords = {name for name in written if "password" in name or "token" in name}
    assert sorted(written - UNTRUSTED_FIELDS - NO_PROSE.keys() - TIMES - passwords) == []
    assert sorted(NO_PROSE.keys() - written) == []


def test_a_partners_webhook_response_is_marked_as_untrusted() -> None:
    assert "response" in untrusted_paths_of(registry()["test_webhook_delivery"])
    assert "delivery.log[].response" in untrusted_paths_of(registry()["get_webhook_delivery_log"])


async def test_a_response_lists_the_positions_of_untrusted_text(app: App) -> None:
    order_id = await create_order_as(app)
    async with serve_mcp(app.application) as base, httpx.AsyncClient(timeout=60) as http:
        servers = McpClient(base, http)
        told = await servers.call("get_order_detail", {"order_id": order_id}, app.tokens["admin"])
        places = told["_meta"][UNTRUSTED_META_KEY]
        assert {"order.note", "order.delivery_instruction", "order.consignee.name", "order.references"} <= set(places)
        dry = {"x-mcp-dry-run": "1"}
        told = await servers.call("hold_order", {"order_id": order_id}, app.tokens["admin"], headers=dry)
        assert {"preview", "side_effects[]", "changes[]"} <= set(told["_meta"][UNTRUSTED_META_KEY])
