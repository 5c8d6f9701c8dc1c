"""A campaign is sent by one durable job at a time, killed or not: each text is claimed in the database, then handed over.

What a job that was killed had claimed and not recorded is never sent again: better one text too few than two to one person.
"""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.identity.public import find_all_client_ids
from haulier.contexts.messaging.campaigns.actions.contacts import lock_rights
from haulier.contexts.messaging.campaigns.actions.dispatch import (
    CAMPAIGN_JOB,
    RunSmsCampaign,
    look_again,
    pause_campaign,
    take_campaign_step,
)
from haulier.contexts.messaging.campaigns.rules.lifecycle import CampaignStatus, MessageState
from haulier.contexts.messaging.campaigns.store import campaigns as store
from haulier.contexts.messaging.campaigns.store import claims
from haulier.contexts.messaging.campaigns.store import settings as settings_store
from haulier.contexts.messaging.campaigns.store.claims import ClaimedText
from haulier.contexts.messaging.campaigns.store.tables import SmsCampaignRow
from haulier.contexts.messaging.ports import SmsAccountRefused, SmsBusy, SmsGateway, SmsRefused, SmsSubmission
from haulier.contexts.messaging.sms.queries import open_gateway
from haulier.kernel.application import Application
from haulier.kernel.background.jobs import job
from haulier.kernel.background.periodic import periodic
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.unit_of_work import TransactionRetry
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import Feature

AT_ONCE = 10
"""Texts that are handed over at the same time."""
BUSY_PAUSE = timedelta(seconds=30)
ATTEMPTS = 5
ACCOUNT_REFUSED = "account_refused"


class TextHandover(Struct, frozen=True):
    """What came of handing a text over; `state` None where it was certainly not taken and may be tried again."""

    message_id: int
    state: MessageState | None
    reason: str | None = None
    reference: str | None = None


@job(CAMPAIGN_JOB, RunSmsCampaign, lane="outside")
async def run_sms_campaign(run: JobRun, args: RunSmsCampaign) -> None:
    """Send the texts of a campaign until it is over, or until it has to wait: then another job goes on."""
    gateway = await open_gateway(run.app, run.client_id or 0)
    if gateway is None:
        await _pause(run, args, "no_account")
        return
    callback = await _callback(run)
    while True:
        async with run.call() as call:
            step = await take_campaign_step(call, args)
        if not step.more:
            return
        if step.texts and not await _hand_over(run, args, gateway, callback, step.texts):
            return


async def _callback(run: JobRun) -> str:
    async with run.app.database.read(run.client_id) as work:
        row = await settings_store.get_settings_row(work)
    return f"{run.app.base_url}/api/v1/sms-events/{row.endpoint_key}" if row else ""


async def _pause(run: JobRun, args: RunSmsCampaign, reason: str) -> None:
    async with run.call() as call:
        await _pause_if_under_way(call, args, reason)


async def _pause_if_under_way(call: Call, args: RunSmsCampaign, reason: str) -> None:
    campaign = await SmsCampaignRow.lock(call.work, args.campaign_id)
    under_way = (CampaignStatus.SCHEDULED, CampaignStatus.SENDING)
    if campaign and campaign.round == args.round and campaign.status in under_way:
        await pause_campaign(call, campaign, reason)


async def _hand_over(
    run: JobRun, args: RunSmsCampaign, gateway: SmsGateway, callback: str, texts: Sequence[ClaimedText]
) -> bool:
    """Hand claimed texts over and record what came of each. False where the provider wants a pause, or not us at all."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(text: ClaimedText) -> TextHandover:
        async with room:
            return await submit_text(gateway, callback, text)

    outcomes = await asyncio.gather(*map(one, texts))
    for attempt in range(ATTEMPTS):
        try:
            return await _record(run, args, outcomes)
        except TransactionRetry:
            if attempt == ATTEMPTS - 1:
                raise
    return False


async def _record(run: JobRun, args: RunSmsCampaign, outcomes: Sequence[TextHandover]) -> bool:
    """Write down what came of texts, as often as the database asks for it: what is not written down is `unknown`."""
    back = [each.message_id for each in outcomes if each.state is None]
    async with run.call() as call:
        await lock_rights(call)  # as receipts do, which touch many texts in another order
        rows = [_outcome_row(each, call.now) for each in outcomes if each.state is not None]
        await claims.record_outcomes(call.work, rows)
        await claims.give_texts_back(call.work, back)
        if any(each.reason == ACCOUNT_REFUSED for each in outcomes):
            await _pause_if_under_way(call, args, "provider")
        elif back:
            await look_again(call, args, call.now + BUSY_PAUSE)
    return not back


async def submit_text(gateway: SmsGateway, callback: str, text: ClaimedText) -> TextHandover:
    """Hand one text to the provider."""
    submission = SmsSubmission(
        to=text.phone, text=text.text, reference=str(text.id), callback=f"{callback}?message={text.id}"
    )
    try:
        return TextHandover(text.id, MessageState.SENT, reference=await gateway.submit(submission))
    except SmsRefused as refusal:
        return TextHandover(text.id, MessageState.FAILED, (refusal.code or "refused")[:40])
    except SmsAccountRefused:
        return TextHandover(text.id, None, ACCOUNT_REFUSED)
    except SmsBusy:
        return TextHandover(text.id, None)
    except OSError:
        return TextHandover(text.id, MessageState.UNKNOWN, "no_answer")


def _outcome_row(outcome: TextHandover, now: Any) -> dict[str, Any]:
    assert outcome.state is not None
    return {
        "message": outcome.message_id,
        "new_state": outcome.state.value,
        "new_reason": outcome.reason,
        "reference": outcome.reference,
        "sent": now if outcome.state is MessageState.SENT else None,
    }


@periodic(timedelta(minutes=5))
async def revive_forgotten_campaigns(app: Application) -> None:
    """Give campaigns whose job gave up a new one; a job of the round before does nothing any more."""
    if Feature.SMS_MARKETING in app.modules_missing:
        return
    async with app.database.read(None) as work:
        clients = await find_all_client_ids(work)
    for client_id in clients:
        async with app.database.read(client_id) as work:
            forgotten = await store.list_forgotten_campaigns(work, app.clock())
        for row in forgotten:
            async with app.database.write(client_id) as work:
                call = await call_as_system(app, client_id, work)
                campaign = await SmsCampaignRow.lock(work, row.id)
                if campaign and (campaign.round, campaign.status) == (row.round, row.status):
                    await SmsCampaignRow.update(work, row.id, {"round": row.round + 1})
                    args = RunSmsCampaign(campaign_id=row.id, round=row.round + 1, turn=-1)
                    await look_again(call, args, call.now)
