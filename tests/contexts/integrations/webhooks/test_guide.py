"""Receiver documentation and signature debugging, public and without a token."""

import json
from typing import Any

import pytest
from tests.contexts.integrations.webhooks.makers import make_endpoint, make_local_receiver, make_order
from tests.support.app import App
from tests.support.every_case import for_every

from haulier.contexts.integrations.webhooks.rules import EVENT_CATALOG, RETRY_DELAYS_S
from haulier.kernel.i18n.languages import SUPPORTED_LANGUAGES


async def verified(app: App, **asked: Any) -> tuple[bool, str]:
    answer = await app.rest(None, "POST", "/v1/webhooks/verify-signature", asked)
    assert answer.status_code == 200, answer.text
    return answer.json()["valid"], answer.json()["verdict"]


async def test_the_event_guide_is_public_in_every_language(app: App) -> None:
    for language in SUPPORTED_LANGUAGES:
        answer = await app.rest(None, "GET", "/v1/webhooks/guide", headers={"Accept-Language": language})
        guide = answer.json()
        assert [each["name"] for each in guide["events"]] == [known.name for known in EVENT_CATALOG]
        assert guide["retries_after_s"] == list(RETRY_DELAYS_S)
        assert guide["text"].startswith("# Receiving webhooks")
        assert "{base_url}" not in guide["text"]
    one = (await app.rest(None, "GET", "/v1/webhooks/guide?event=order.held")).json()["events"]
    assert [each["subject"] for each in one] == ["order:{order_id}"]


async def test_the_guide_names_the_fields_that_are_delivered(app: App) -> None:
    guide = (await app.rest(None, "GET", "/v1/webhooks/guide")).json()["events"]
    told = {each["name"]: each["data"]["properties"].keys() for each in guide}
    with make_local_receiver(app) as receiver:
        await make_endpoint(app, receiver.url())
        order = await make_order(app)
        await app.answer("admin", "hold_order", {"order_id": order.id})
        await app.work_off()
        seen = {each.document["event"]: each.document["data"] for each in receiver.received}
        assert {"order.created", "order.held", "order.status_changed"} <= seen.keys()
        for name in ("order.created", "order.held", "order.status_changed"):
            assert seen[name].keys() == set(told[name])
        assert {"tracking_number", "order_id", "event"} <= seen["tracking.updated"].keys() & set(
            told["tracking.updated"]
        )


async def test_a_real_request_verifies_until_it_is_too_old_or_modified(app: App) -> None:
    with make_local_receiver(app) as receiver:
        endpoint = await make_endpoint(app, receiver.url(), "order.created")
        await make_order(app)
        await app.work_off()
        (got,) = receiver.received
        asked = {name.replace("-", "_"): got.headers[name] for name in got.headers if name.startswith("webhook-")}
        asked |= {"payload": got.body.decode(), "secret": endpoint.secret}
        assert await verified(app, **asked) == (True, "valid")
        assert await verified(app, **{**asked, "payload": json.dumps(got.document)}) == (False, "mismatch")
        assert await verified(app, **{**asked, "webhook_timestamp": "yesterday"}) == (False, "malformed")
        assert await verified(app, **{**asked, "webhook_signature": "v2,abc"}) == (False, "malformed")
        assert await verified(app, **{**asked, "secret": "whsec_x"}) == (False, "bad_secret")
        app.clock.forward(minutes=6)
        assert await verified(app, **asked) == (False, "too_old")
        assert await verified(app, **asked, tolerance_s=3600) == (True, "valid")
        app.clock.forward(minutes=-12)
        assert await verified(app, **asked) == (False, "too_new")


@for_every("payload", ["\0", "\ud800", "{}", ""])
async def test_any_body_can_be_verified_even_if_no_database_stores_it(app: App, payload: str) -> None:
    words = {"webhook_id": "m", "webhook_timestamp": "1", "webhook_signature": "v1,x", "secret": "whsec_" + "A" * 32}
    outcome = await app.call(None, "verify_webhook_signature", {"payload": payload, **words})
    if payload == "\ud800":  # half a character: no request has such a body
        assert outcome.status == 400
    else:
        assert outcome.answer.verdict == "mismatch"  # type: ignore[union-attr]


async def test_a_verification_secret_is_in_no_audit_entry(app: App, caplog: pytest.LogCaptureFixture) -> None:
    secret = "whsec_" + "B" * 32
    words = {"payload": "{}", "webhook_id": "m", "webhook_timestamp": "1", "webhook_signature": "v1,x"}
    await verified(app, **words, secret=secret)
    assert secret not in caplog.text
