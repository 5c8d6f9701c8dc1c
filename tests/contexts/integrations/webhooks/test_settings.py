"""Webhook settings: replaced as a whole, secrets shown once, rotation, tenancy."""

import json
from datetime import timedelta
from typing import Any

from sqlalchemy import select
from tests.contexts.integrations.webhooks.makers import make_endpoint, make_local_receiver, make_order, set_endpoints
from tests.support.app import App, make_app
from tests.support.databases import migrated_file
from tests.support.every_case import for_every

from haulier.contexts.integrations.webhooks.store import endpoints
from haulier.kernel.operations.enums import Account

URL = "https://receiver.example/hooks"
OTHER = "https://other.example/hooks"
HOOK = {"url": URL, "events": ["order.created"]}


async def refused(app: App, who: str | None, operation: str, values: dict[str, Any]) -> tuple[int, str, list[Any]]:
    outcome = await app.call(who, operation, values)
    assert outcome.error, outcome.answer
    faults = [(each["field"], each["code"]) for each in outcome.error.get("errors", ())]
    return outcome.status, outcome.error["code"], faults


async def test_only_the_office_can_read_and_change_settings(app: App) -> None:
    for operation, values in (("get_webhook_settings", {}), ("update_webhook_settings", {"endpoints": [HOOK]})):
        assert (await refused(app, None, operation, values))[0] == 401
        for who in ("customer", "driver", "contractor"):
            assert (await refused(app, who, operation, values))[:2] == (403, "ACCOUNT_NOT_ALLOWED")


async def test_another_client_can_neither_see_nor_change_endpoints(app: App) -> None:
    mine = (await set_endpoints(app, HOOK)).endpoints[0]
    assert (await app.answer("rival", "get_webhook_settings")).endpoints == []
    theirs = (await set_endpoints(app, HOOK, who="rival")).endpoints[0]
    assert theirs.secret != mine.secret, "the same address, two clients, two secrets"
    assert (await refused(app, "rival", "rotate_webhook_secret", {"endpoint_id": mine.id}))[0] == 404
    await set_endpoints(app, who="rival")
    assert len((await app.answer("admin", "get_webhook_settings")).endpoints) == 1


async def test_a_secret_is_shown_once_and_kept_with_its_address(app: App) -> None:
    first = (await set_endpoints(app, HOOK)).endpoints[0]
    assert first.secret.startswith("whsec_")
    again = (await set_endpoints(app, {**HOOK, "events": ["*"]}, {"url": OTHER, "events": ["*"]})).endpoints
    assert [(each.id == first.id, bool(each.secret)) for each in again] == [(True, False), (False, True)]
    shown = await app.rest("admin", "GET", "/v1/webhook-settings")
    assert "whsec_" not in shown.text
    assert [each["events"] for each in shown.json()["endpoints"]] == [["*"], ["*"]]
    async with app.database.read(app.clients["demo"]) as work:
        trail = json.dumps([str(row) for row in await work.all(select(endpoints.c.url))])
    assert first.secret not in trail


async def test_settings_are_put_on_their_path_and_a_repeated_request_shows_no_secret(app: App) -> None:
    answer = await app.rest(
        "admin", "PUT", "/v1/webhook-settings", {"endpoints": [HOOK]}, headers={"Idempotency-Key": "k-1"}
    )
    assert (answer.status_code, answer.json()["callbacks"]) == (200, [{"event": "order.created", "urls": [URL]}])
    again = await app.rest(
        "admin", "PUT", "/v1/webhook-settings", {"endpoints": [HOOK]}, headers={"Idempotency-Key": "k-1"}
    )
    assert again.status_code == 409
    assert "whsec_" not in again.text


async def test_omitted_settings_are_removed(app: App) -> None:
    await set_endpoints(app, HOOK, {"url": OTHER, "events": ["*"]})
    left = (await set_endpoints(app, {"url": OTHER, "events": ["*"]})).endpoints
    assert [each.url for each in left] == [OTHER]
    assert (await set_endpoints(app)).endpoints == []


@for_every(
    ("wanted", "fault"),
    [
        ({**HOOK, "events": ["order.eaten"]}, ("endpoints.0.events.0", "WEBHOOK_EVENT_UNKNOWN")),
        ({**HOOK, "events": []}, ("endpoints.0.events", "TOO_SHORT")),
        ({**HOOK, "customer_id": 2**40}, ("endpoints.0.customer_id", "WEBHOOK_CUSTOMER_UNKNOWN")),
        ({**HOOK, "colour": "red"}, ("endpoints.0.colour", "EXTRA_FORBIDDEN")),
    ],
)
async def test_invalid_settings_are_reported_by_field(app: App, wanted: dict[str, Any], fault: tuple[str, str]) -> None:
    status, code, faults = await refused(app, "admin", "update_webhook_settings", {"endpoints": [wanted]})
    assert (status, code, faults) == (422, "INVALID_REQUEST", [fault])


async def test_an_address_is_unique_and_customers_receive_only_order_events(app: App) -> None:
    twice = await refused(app, "admin", "update_webhook_settings", {"endpoints": [HOOK, HOOK]})
    assert [code for _, code in twice[2]] == ["WEBHOOK_URL_TWICE"]
    for customer, code in (("customer", "WEBHOOK_EVENT_NOT_FOR_CUSTOMERS"), ("driver", "WEBHOOK_CUSTOMER_UNKNOWN")):
        wanted = {"url": URL, "events": ["order.created", "user.created"], "customer_id": app.ids[customer]}
        faults = (await refused(app, "admin", "update_webhook_settings", {"endpoints": [wanted]}))[2]
        assert code in {fault for _, fault in faults}


async def test_old_and_new_secrets_both_sign_until_the_overlap_ends(app: App) -> None:
    with make_local_receiver(app) as receiver:
        old = await make_endpoint(app, receiver.url(), "order.created")
        asked = {"endpoint_id": old.id, "overlap_h": 2}
        new = (await app.answer("admin", "rotate_webhook_secret", asked)).endpoint
        assert new.secret != old.secret
        assert new.old_secret_until == app.clock.now + timedelta(hours=2)
        for forward, fits in (({"minutes": 119}, (True, True)), ({"minutes": 1}, (False, True))):
            app.clock.forward(**forward)
            await make_order(app)
            await app.work_off()
            got = receiver.received[-1]
            assert (got.signed_with(old.secret), got.signed_with(new.secret)) == fits
        assert (await app.answer("admin", "get_webhook_settings")).endpoints[0].old_secret_until is None


async def test_without_an_overlap_the_old_secret_ends_immediately(app: App) -> None:
    with make_local_receiver(app) as receiver:
        old = await make_endpoint(app, receiver.url(), "order.created")
        await app.answer("admin", "rotate_webhook_secret", {"endpoint_id": old.id, "overlap_h": 0})
        await make_order(app)
        await app.work_off()
        assert not receiver.received[-1].signed_with(old.secret)


async def test_with_an_encryption_key_secrets_are_stored_encrypted_and_still_sign(tmp_path: Any) -> None:
    key = "A" * 43 + "="
    async with make_app(migrated_file(tmp_path), secrets_keys=key) as app:
        with make_local_receiver(app) as receiver:
            endpoint = await make_endpoint(app, receiver.url(), "order.created")
            async with app.database.read(app.clients["demo"]) as work:
                (row,) = await work.all(select(endpoints.c.sealed_secret))
            assert endpoint.secret.removeprefix("whsec_") not in row.sealed_secret
            await make_order(app)
            await app.work_off()
            assert receiver.received[0].signed_with(endpoint.secret)
            assert (await app.answer("admin", "get_webhook_settings")).secrets_encrypted


async def test_a_paused_endpoint_misses_events_during_the_pause(app: App) -> None:
    with make_local_receiver(app) as receiver:
        for enabled, total in ((True, 1), (False, 1), (True, 2)):
            await make_endpoint(app, receiver.url(), "order.created", enabled=enabled)
            await make_order(app)
            await app.work_off()
            assert len(receiver.received) == total


async def test_updating_uses_a_constant_number_of_statements(app: App) -> None:
    counts: list[int] = []
    for size in (2, 40):
        wanted = [{"url": f"https://r{n}.example/", "events": ["*"]} for n in range(size)]
        await set_endpoints(app)
        before = app.statements
        await set_endpoints(app, *wanted)
        counts.append(app.statements - before)
    assert counts[0] == counts[1]


def test_the_settings_are_for_office_accounts() -> None:
    from haulier.app import registry

    assert registry()["update_webhook_settings"].audience == {Account.CLIENT_ADMIN, Account.EMPLOYEE}
