"""Campaigns over message centres: news of an account belongs to its client."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from tests.adapters.message_centre import LISTEN, Centre, eventually, make_centre, make_scripted_centre
from tests.contexts.messaging.campaigns.makers import (
    make_campaign,
    make_contact,
    make_marketing_business,
    outcomes_of_messages,
    phone_of,
    send,
    the_status,
)
from tests.support.app import App

from haulier.adapters.smpp.lines import SmppLines, parse_centres
from haulier.adapters.sms_gateways.directory import HttpSmsProviders
from haulier.adapters.vault import KEY_BYTES, EncryptedVault
from haulier.contexts.messaging.campaigns.actions.dispatch import RunSmsCampaign, run_campaign_step
from haulier.contexts.messaging.campaigns.jobs import listen_to_message_centres
from haulier.contexts.messaging.ports import SecretVault, SmsLines, SmsProviderDirectory
from haulier.kernel.call import call_as_system

ACCOUNT: dict[str, Any] = {"provider": "smpp", "account": "shop@acme", "secret": "secret", "sender": "+15005550006"}


@pytest.fixture
async def centre() -> AsyncIterator[Centre]:
    async with make_centre() as centre:
        yield centre


async def over(app: App, port: int, options: str = f"?{LISTEN}") -> SmppLines:
    """Set up both businesses with message centre accounts and SMS marketing."""
    await make_marketing_business(app)
    lines = SmppLines(parse_centres(f"acme=smpp://127.0.0.1:{port}{options}"))
    adapters: Any = app.application.adapters
    adapters[SecretVault] = EncryptedVault(b"k" * KEY_BYTES)
    adapters[SmsLines], adapters[SmsProviderDirectory] = lines, HttpSmsProviders(smpp=lines)
    await app.answer("admin", "set_sms_account", ACCOUNT)
    return lines


@asynccontextmanager
async def hearing(app: App) -> AsyncGenerator[None]:
    """A process hears the message centres."""
    task = asyncio.create_task(listen_to_message_centres(app.application, 0.02))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def number_of(contact: int) -> str:
    return phone_of(contact).removeprefix("+")


async def test_a_campaign_is_sent_over_smpp_with_receipts_and_replies(app: App, centre: Centre) -> None:
    lines = await over(app, centre.port)
    for contact in (1, 2, 3):
        await make_contact(app, contact)
    campaign = await make_campaign(app)
    async with hearing(app):
        await send(app, campaign)
        assert sorted(each.destination_addr for each in centre.taken) == [number_of(contact) for contact in (1, 2, 3)]
        references = {each.destination_addr: f"m{place}" for place, each in enumerate(centre.taken, 1)}
        assert await centre.tell(references[number_of(1)], number_of(1), "DELIVRD") == 0
        assert await centre.tell(references[number_of(2)], number_of(2), "UNDELIV", "027") == 0
        assert await centre.deliver(number_of(3), b"Stop") == 0
    assert await outcomes_of_messages(app, campaign) == {
        phone_of(1): "delivered",
        phone_of(2): "undelivered:UNDELIV:027",
        phone_of(3): "sent",
    }
    second = await make_campaign(app)
    app.clock.forward(days=1)
    await send(app, second)
    assert (await outcomes_of_messages(app, second))[phone_of(3)] == "skipped:suppressed"
    await lines.close()


async def test_receipts_and_replies_of_an_account_stay_with_that_account(app: App, centre: Centre) -> None:
    lines = await over(app, centre.port)
    await app.answer("rival", "set_sms_account", {**ACCOUNT, "account": "rival@acme"})
    await make_contact(app, 1)
    campaign = await make_campaign(app)
    await send(app, campaign)
    async with hearing(app):
        await centre.until(lambda: len([each for each in centre.sessions.values() if each.can_receive]) == 2)
        theirs = next(e for e in centre.sessions.values() if e.system_id == "rival" and e.can_receive)
        words = {"source_addr": number_of(1), "source_addr_ton": 1}
        receipt = b"id:m1 stat:DELIVRD err:000"
        assert (await theirs.deliver_sm("1", receipt, esm_class=4, **words)).is_success
        assert (await theirs.deliver_sm("1", b"STOP", **words)).is_success
    assert await outcomes_of_messages(app, campaign) == {phone_of(1): "sent"}
    assert (await app.answer("admin", "list_sms_suppressions")).total == 0
    assert (await app.answer("rival", "list_sms_suppressions")).total == 1
    await lines.close()


async def test_a_message_of_a_killed_worker_is_resolved_by_its_number(app: App, centre: Centre) -> None:
    lines = await over(app, centre.port)
    await make_contact(app, 1)
    campaign = await make_campaign(app)
    await app.answer("admin", "schedule_sms_campaign", {"sms_campaign_id": campaign})
    client = app.clients["demo"]
    taken: list[Any] = []
    while not taken:
        async with app.database.write(client) as work:
            call = await call_as_system(app.application, client, work)
            taken += (await run_campaign_step(call, RunSmsCampaign(campaign_id=campaign, round=1))).texts
    async with hearing(app):
        assert await centre.tell("m77", number_of(1), "DELIVRD") == 0
    assert await outcomes_of_messages(app, campaign) == {phone_of(1): "delivered"}
    await lines.close()


async def test_one_process_holds_an_account_until_it_releases_it(app: App, centre: Centre) -> None:
    lines = await over(app, centre.port)

    def listeners() -> int:
        return len([each for each in centre.sessions.values() if each.can_receive])

    async with hearing(app):
        await centre.until(lambda: listeners() == 1)
        async with hearing(app):
            await asyncio.sleep(0.1)
            assert listeners() == 1
        assert listeners() == 1
    await centre.until(lambda: not listeners())
    async with hearing(app):
        await centre.until(lambda: listeners() == 1)
        await app.answer("admin", "remove_sms_account")
        await centre.until(lambda: not listeners())
    await lines.close()


async def test_a_campaign_pauses_when_the_message_centre_rejects_the_account(app: App) -> None:
    async with make_scripted_centre(lambda command, body: (0x0E, b"\x00")) as centre:
        lines = await over(app, centre.port)
        await make_contact(app, 1)
        campaign = await make_campaign(app)
        await send(app, campaign)
        assert await the_status(app, campaign) == ("paused", "provider")
        assert await outcomes_of_messages(app, campaign) == {phone_of(1): "waiting"}

        async def shown() -> bool:
            return (await app.answer("admin", "get_sms_settings")).fault == "bind_refused"

        async with hearing(app):
            await eventually(shown)
        await lines.close()


async def test_a_throttled_message_is_sent_later(app: App, centre: Centre) -> None:
    lines = await over(app, centre.port)
    await make_contact(app, 1)
    centre.statuses = [0x58]
    campaign = await make_campaign(app)
    await send(app, campaign)
    assert await outcomes_of_messages(app, campaign) == {phone_of(1): "waiting"}
    app.clock.forward(seconds=31)
    await app.work_off()
    assert await outcomes_of_messages(app, campaign) == {phone_of(1): "sent"}
    await lines.close()


async def test_a_repeated_reply_is_stored_once_unless_it_is_stop(app: App, centre: Centre) -> None:
    lines = await over(app, centre.port)
    await make_contact(app, 1)
    async with hearing(app):
        for words in (b"where is it", b"where is it", b"STOP", b"START", b"STOP"):
            assert await centre.deliver(number_of(1), words) == 0
    replies = (await app.answer("admin", "list_sms_replies")).replies
    assert [each.text for each in replies] == ["STOP", "START", "STOP", "where is it"]
    suppressed = (await app.answer("admin", "list_sms_suppressions", {"in_force": True})).suppressions
    assert [each.phone for each in suppressed] == [phone_of(1)]
    await lines.close()


async def test_an_account_with_an_unknown_message_centre_is_refused(app: App, centre: Centre) -> None:
    lines = await over(app, centre.port)
    refused = await app.call("admin", "set_sms_account", {**ACCOUNT, "account": "shop@other"})
    assert refused.error
    assert refused.error["code"] == "SMS_PROVIDER_NOT_OFFERED"
    await lines.close()
