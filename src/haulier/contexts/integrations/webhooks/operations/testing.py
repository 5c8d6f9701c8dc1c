"""A test: one message to an address, signed, and how it was taken."""

from secrets import token_urlsafe
from typing import Any

from msgspec import UNSET, Struct

from haulier.contexts.integrations.ports import Callbacks, Letterhead, Reply
from haulier.contexts.integrations.webhooks import signing
from haulier.contexts.integrations.webhooks.contract.logs import TryWebhook, WebhookTested
from haulier.contexts.integrations.webhooks.operations.logs import PATH
from haulier.contexts.integrations.webhooks.operations.settings import DEVELOPER
from haulier.contexts.integrations.webhooks.payloads import WebhookMessage
from haulier.contexts.integrations.webhooks.rules import signing as rules
from haulier.contexts.integrations.webhooks.rules.addresses import WEBHOOK_URL_REFUSED, why_not
from haulier.contexts.integrations.webhooks.rules.codebook import TEST
from haulier.contexts.integrations.webhooks.rules.retrying import DeliveryStatus, took_it
from haulier.contexts.integrations.webhooks.store import deliveries, endpoints
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Risk, Scope
from haulier.kernel.doorstep import Doorstep
from haulier.kernel.errors import Fault
from haulier.kernel.operation import GraphQL, Limit, Mcp, Rest, writes

UNSENT = Reply(status=None, latency_ms=0)


class Tried(Struct, frozen=True, kw_only=True):
    """What was posted, and how it was taken; nothing was in a rehearsal."""

    endpoint: Any
    message: WebhookMessage
    body: bytes
    headers: dict[str, str]
    made: str | None
    reply: Reply


async def try_address(doorstep: Doorstep, request: TryWebhook) -> Tried:
    """Sign a message and post it, before any transaction begins: a receiver may take its time."""
    house, client = doorstep.house, doorstep.principal.business
    assert client is not None
    if why := why_not(request.url, private=house.adapter(Callbacks).private):
        raise WEBHOOK_URL_REFUSED.at(Fault("url", f"field.webhook_url_{why}"))
    async with house.database.read(client.id) as work:
        endpoint = await endpoints.at(work, request.url)
    now = house.clock()
    made = rules.new_secret() if request.secret is None and endpoint is None else None
    given = request.secret.get_secret_value() if request.secret else made
    keys = [key] if given and (key := rules.key_of(given)) else []
    keys = keys or ([] if given else signing.keys(house, client.id, endpoint, now))
    if not keys:
        raise rules.WEBHOOK_SECRET_UNUSABLE()
    id = f"test_{token_urlsafe(12)}"
    said = {"message": house.catalogues.say("en", "webhook_test")}
    message = WebhookMessage(id=id, event=TEST, occurred_at=now, sequence=0, client=client.code, test=True, data=said)
    body = message.encoded()
    headers = rules.headers(id, now, body, keys)
    letter = Letterhead(url=request.url, headers=headers, body=body)
    reply = UNSENT if doorstep.rehearsing else await house.adapter(Callbacks).post(letter)
    return Tried(endpoint=endpoint, message=message, body=body, headers=headers, made=made, reply=reply)


@writes(
    "test_webhook_delivery",
    audience=OFFICE,
    scopes={Scope.WEBHOOKS_WRITE},
    risk=Risk.MEDIUM,
    keeps_answer=False,
    doors=(
        Rest("POST", f"{PATH}/test"),
        GraphQL("webhookDeliveryTest"),
        Mcp("test_webhook_delivery", DEVELOPER, title="Post a test webhook to an address"),
    ),
    limits=(Limit(20, 60, ("user",)),),
    errors=(WEBHOOK_URL_REFUSED, rules.WEBHOOK_SECRET_UNUSABLE),
    prepare=try_address,
)
async def test_webhook_delivery(call: Call, request: TryWebhook) -> WebhookTested:
    """Post a test message to an address, signed, once, and tell how it was taken. It is logged like every delivery.

    Addresses of private networks are refused, whatever the name in the address leads to, and redirects are not followed.
    """
    tried: Tried = call.prepared
    taken = took_it(tried.reply.status)
    id = await _logged(call, request.url, tried, taken)
    return WebhookTested(
        delivered=taken,
        delivery_log_id=id,
        status=tried.reply.status,
        fault=tried.reply.fault,
        latency_ms=tried.reply.latency_ms,
        response=tried.reply.text,
        headers=tried.headers,
        body=tried.body.decode(),
        secret=tried.made or UNSET,
    )


async def _logged(call: Call, url: str, tried: Tried, taken: bool) -> int:
    reply = tried.reply
    id = await deliveries.add(
        call.work,
        endpoint_id=tried.endpoint.id if tried.endpoint else None,
        url=url,
        message_id=tried.message.id,
        event=TEST,
        subject=None,
        sequence=0,
        payload=tried.body.decode(),
        status=(DeliveryStatus.DELIVERED if taken else DeliveryStatus.FAILED).value,
        attempts=1,
        tries=1,
        created_at=call.now,
        next_attempt_at=None,
        ended_at=call.now,
        last_status=reply.status,
        last_fault=reply.fault,
        last_latency_ms=reply.latency_ms,
    )
    attempt = {"number": 1, "at": call.now, "status": reply.status, "fault": reply.fault, "replayed": False}
    await deliveries.add_attempt(call.work, delivery_id=id, latency_ms=reply.latency_ms, response=reply.text, **attempt)
    return id
