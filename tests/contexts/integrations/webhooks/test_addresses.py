"""Webhooks never reach the internal network, by address, name, DNS or redirect."""

from typing import Any

from tests.adapters.fake_webhook_receiver import FakeReceiver, run_receiver
from tests.contexts.integrations.webhooks.makers import list_deliveries, make_endpoint, make_local_receiver, make_order
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.adapters.host_addresses import HostResolver, is_private_address
from haulier.adapters.webhooks import HttpWebhookSender
from haulier.contexts.integrations.ports import WebhookRequest, WebhookResponse, WebhookSender
from haulier.contexts.integrations.webhooks.rules import check_webhook_url

INSIDE = (
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://10.1.2.3/",
    "https://192.168.0.1/",
    "https://172.16.0.1:8443/",
    "https://169.254.169.254/latest/meta-data",
    "https://[fe80::1]/",
    "https://[fd00::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://0.0.0.0/",
    "https://2130706433/",
    "https://127.1/",
    "https://intranet/",
    "https://db.internal/",
    "https://printer.local/",
)


@for_every("url", INSIDE)
async def test_private_addresses_are_refused_on_input(app: App, url: str) -> None:
    wanted = {"url": url, "events": ["*"]}
    for operation, values in (
        ("update_webhook_settings", {"endpoints": [wanted]}),
        ("test_webhook_delivery", {"url": url}),
    ):
        outcome = await app.call("admin", operation, values)
        assert outcome.error
        assert (outcome.status, outcome.error["code"]) == (422, "WEBHOOK_URL_REFUSED")
        assert outcome.error["errors"][0]["code"] == "WEBHOOK_URL_PRIVATE"
    assert await list_deliveries(app) == []


@for_every(
    ("url", "why"),
    [
        ("http://receiver.example/", "not_https"),
        ("ftp://receiver.example/", "malformed"),
        ("https://user:password@receiver.example/", "malformed"),
        ("https://receiver.example/#part", "malformed"),
        ("https://receiver.example:99999/", "malformed"),
        ("https://receiver.example/a b", "malformed"),
        ("https:///nobody", "malformed"),
        ("https://empfänger.example/", "malformed"),
        ("https://receiver.example:8443/hooks?x=1", None),
        ("https://93.184.215.14/", None),
    ],
)
def test_an_endpoint_must_be_a_public_https_address(url: str, why: str | None) -> None:
    assert check_webhook_url(url, private=False) == why


def test_when_private_networks_are_allowed_http_is_accepted_for_them_only() -> None:
    assert [check_webhook_url(url, private=True) for url in ("http://localhost:9/", "http://10.0.0.1/")] == [None, None]
    assert check_webhook_url("http://receiver.example/", private=True) == "not_https"


def test_cloud_metadata_addresses_are_never_allowed() -> None:
    private = ("127.0.0.1", "10.0.0.1", "192.168.1.1", "::1", "fd00::1")
    assert [is_private_address(each) for each in private] == [True] * 5
    others = ("169.254.169.254", "192.0.0.192", "fe80::1", "0.0.0.0", "224.0.0.1", "93.184.215.14")
    assert [is_private_address(each) for each in others] == [False] * 6


def resolving(*addresses: str) -> HostResolver:
    """A resolver that gives these addresses for every name."""

    async def resolve(host: str, port: int) -> list[str]:
        return list(addresses)

    return resolve


async def posted(
    callbacks: HttpWebhookSender, receiver: FakeReceiver, host: str, scheme: str = "https"
) -> WebhookResponse:
    port = receiver.base.rpartition(":")[2]
    return await callbacks.post(WebhookRequest(url=f"{scheme}://{host}:{port}/hooks", headers={}, body=b"{}"))


@for_every("found", [["127.0.0.1"], ["93.184.215.14", "127.0.0.1"], ["::1"], ["169.254.169.254"], []])
async def test_a_host_with_any_private_address_is_not_posted_to(found: list[str]) -> None:
    with run_receiver() as receiver:
        reply = await posted(HttpWebhookSender(resolve=resolving(*found)), receiver, "receiver.example")
        assert (reply.fault, reply.status, receiver.received) == ("address_refused", None, [])


async def test_the_connection_uses_the_validated_address() -> None:
    """The resolver does not know the name, so only the validated address can be used."""
    with run_receiver() as receiver:
        callbacks = HttpWebhookSender(private=True, resolve=resolving("127.0.0.1"))
        reply = await posted(callbacks, receiver, "receiver.example", "http")
        assert (reply.status, reply.text) == (200, "thank you")
        assert receiver.received[0].headers["host"].startswith("receiver.example:")


async def test_unencrypted_traffic_never_leaves_for_public_hosts() -> None:
    with run_receiver() as receiver:
        callbacks = HttpWebhookSender(private=True, resolve=resolving("93.184.215.14"))
        assert (await posted(callbacks, receiver, "receiver.example", "http")).fault == "address_refused"


async def test_connection_errors_are_distinguished(app: App) -> None:
    with run_receiver() as receiver:
        options: Any = {"private": True, "resolve": resolving("127.0.0.1"), "public": lambda address: True}
        here, hurried = HttpWebhookSender(**options), HttpWebhookSender(**options, timeout_s=0.3)
        assert (await posted(here, receiver, "receiver.example")).fault == "no_tls"
        receiver.will(200, after=1)
        assert (await posted(hurried, receiver, "receiver.example", "http")).fault == "timeout"
        gone = FakeReceiver("http://127.0.0.1:1")
        assert (await posted(here, gone, "receiver.example", "http")).fault == "unreachable"
    assert (await posted(HttpWebhookSender(), gone, "no-such-name.invalid")).fault == "name_unknown"


async def test_internal_errors_are_reported_in_one_word() -> None:
    with run_receiver() as receiver:
        here = HttpWebhookSender(private=True, resolve=resolving("127.0.0.1"), timeout_s=0.3)
        receiver.will(200, after=1)
        faults = [
            (await posted(here, receiver, "receiver.example")).fault,
            (await posted(here, receiver, "receiver.example", "http")).fault,
            (await posted(here, FakeReceiver("http://127.0.0.1:1"), "receiver.example", "http")).fault,
        ]
        assert faults == ["unreachable"] * 3


async def test_only_the_start_of_a_response_is_stored() -> None:
    with run_receiver() as receiver:
        receiver.says = b"\0" + b"\xff" + b"x" * 100_000
        callbacks = HttpWebhookSender(private=True, resolve=resolving("127.0.0.1"))
        reply = await posted(callbacks, receiver, "receiver.example", "http")
        assert (reply.status, len(reply.text), "\0" in reply.text) == (200, 2048, False)


async def test_a_redirect_is_a_failure_and_is_not_followed(app: App) -> None:
    with make_local_receiver(app) as receiver, run_receiver() as elsewhere:
        await make_endpoint(app, receiver.url(), "order.created")
        receiver.will(307, location=elsewhere.url())
        await make_order(app)
        await app.work_off()
        assert [log.last_status for log in await list_deliveries(app)] == [307]
        assert elsewhere.received == []


async def test_an_accepted_endpoint_is_validated_again_at_every_attempt(app: App) -> None:
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url(), "order.created")
        app.application.adapters = {**app.application.adapters, WebhookSender: HttpWebhookSender()}
        await make_order(app)
        await app.work_off()
        assert [log.last_fault for log in await list_deliveries(app)] == ["address_refused"]
        assert receiver.received == []
