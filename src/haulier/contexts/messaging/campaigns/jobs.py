"""Background jobs of campaigns.

What a job that was killed had claimed and not recorded is never sent again: better one text too few than two to one person.

A delivery is answered once it is stored, so none is lost with a process. Another process takes an account over when its keeper
has not said for half a minute that it is still there.
"""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from secrets import token_hex
from typing import Any

from msgspec import Struct

from haulier.contexts.identity.public import find_all_client_ids
from haulier.contexts.messaging.campaigns.actions.contacts import (
    IMPORT_JOB,
    RunSmsImport,
    apply_receipt,
    find_contact_row_keys,
    lock_rights,
    record_reply,
    write_contact_rows,
)
from haulier.contexts.messaging.campaigns.actions.dispatch import (
    CAMPAIGN_JOB,
    RunSmsCampaign,
    pause_campaign,
    requeue,
    run_campaign_step,
)
from haulier.contexts.messaging.campaigns.rules.campaigns import CampaignStatus, MessageState
from haulier.contexts.messaging.campaigns.store import campaigns as campaigns_store
from haulier.contexts.messaging.campaigns.store import messages
from haulier.contexts.messaging.campaigns.store.contacts import contact_imports
from haulier.contexts.messaging.campaigns.store.messages import ClaimedMessage
from haulier.contexts.messaging.campaigns.store.tables import SmsCampaignRow
from haulier.contexts.messaging.ports import (
    SmsAccountRefused,
    SmsAnswered,
    SmsBusy,
    SmsGateway,
    SmsLines,
    SmsReceipt,
    SmsRefused,
    SmsSubmission,
)
from haulier.contexts.messaging.sms.actions import (
    SmsConnection,
    acquire_connections,
    record_connection_fault,
    release_connections,
)
from haulier.contexts.messaging.sms.queries import open_gateway
from haulier.kernel.application import Application
from haulier.kernel.background.jobs import job
from haulier.kernel.background.periodic import periodic
from haulier.kernel.background.tasks import end_tasks
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.data.unit_of_work import TransactionRetry
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import Feature
from haulier.kernel.row_imports import process_rows

AT_ONCE = 10
"""Texts that are handed over at the same time."""
BUSY_PAUSE = timedelta(seconds=30)
ATTEMPTS = 5
ACCOUNT_REFUSED = "account_refused"


class TextHandover(Struct, frozen=True):
    """Result of handing a message over.

    A `state` of None means that it was certainly not accepted and can be retried.
    """

    message_id: int
    state: MessageState | None
    reason: str | None = None
    reference: str | None = None


@job(CAMPAIGN_JOB, RunSmsCampaign, queue="outside")
async def run_sms_campaign(run: JobRun, args: RunSmsCampaign) -> None:
    """Send the messages of a campaign until it is finished or must wait.

    Another job then continues.
    """
    gateway = await open_gateway(run.app, run.client_id or 0)
    if gateway is None:
        await _pause(run, args, "no_account")
        return
    callback = await _callback(run)
    while True:
        async with run.call() as call:
            step = await run_campaign_step(call, args)
        if not step.more:
            return
        if step.texts and not await _hand_over(run, args, gateway, callback, step.texts):
            return


async def _callback(run: JobRun) -> str:
    async with run.app.database.read(run.client_id) as work:
        row = await campaigns_store.get_settings_row(work)
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
    run: JobRun, args: RunSmsCampaign, gateway: SmsGateway, callback: str, texts: Sequence[ClaimedMessage]
) -> bool:
    """Hand claimed messages over and record the results.

    Returns False if the provider requires a pause, or refuses the account.
    """
    room = asyncio.Semaphore(AT_ONCE)

    async def one(text: ClaimedMessage) -> TextHandover:
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
    """Record results of messages, retrying on conflicts.

    Unrecorded messages are `unknown`.
    """
    back = [each.message_id for each in outcomes if each.state is None]
    async with run.call() as call:
        await lock_rights(call)  # as receipts do, which touch many texts in another order
        rows = [_outcome_row(each, call.now) for each in outcomes if each.state is not None]
        await messages.record_outcomes(call.work, rows)
        await messages.release_messages(call.work, back)
        if any(each.reason == ACCOUNT_REFUSED for each in outcomes):
            await _pause_if_under_way(call, args, "provider")
        elif back:
            await requeue(call, args, call.now + BUSY_PAUSE)
    return not back


async def submit_text(gateway: SmsGateway, callback: str, text: ClaimedMessage) -> TextHandover:
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
async def resume_stalled_campaigns(app: Application) -> None:
    """Enqueue new jobs for campaigns whose job gave up.

    Jobs of the earlier round have no effect.
    """
    if Feature.SMS_MARKETING in app.modules_missing:
        return
    async with app.database.read(None) as work:
        clients = await find_all_client_ids(work)
    for client_id in clients:
        async with app.database.read(client_id) as work:
            forgotten = await campaigns_store.list_forgotten_campaigns(work, app.clock())
        for row in forgotten:
            async with app.database.write(client_id) as work:
                call = await call_as_system(app, client_id, work)
                campaign = await SmsCampaignRow.lock(work, row.id)
                if campaign and (campaign.round, campaign.status) == (row.round, row.status):
                    await SmsCampaignRow.update(work, row.id, {"round": row.round + 1})
                    args = RunSmsCampaign(campaign_id=row.id, round=row.round + 1, turn=-1)
                    await requeue(call, args, call.now)


@job(IMPORT_JOB, RunSmsImport, queue="batches")
async def run_sms_import(run: JobRun, args: RunSmsImport) -> None:
    """Write the rows of a file.

    Running it again continues from the last row and writes no consent twice.
    """
    await process_rows(run, contact_imports, args.import_id, write_contact_rows, find_keys=find_contact_row_keys)


LEASE, LOOK_S = timedelta(seconds=30), 10.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
News = Sequence[SmsReceipt | SmsAnswered]
log = logging.getLogger("haulier.smpp")


async def listen_to_message_centres(app: Application, look_s: float = LOOK_S) -> None:
    """Listen to the message centres of accounts without a listener, until cancelled."""
    holder, tasks = token_hex(16), dict[SmsConnection, asyncio.Task[None]]()
    try:
        while True:
            try:
                kept = await acquire_connections(app, holder, LEASE)
            except Exception:
                log.exception("the accounts with message centres could not be kept")
            else:
                await end_tasks(*[tasks.pop(line) for line in tasks.keys() - kept])
                for line in kept - tasks.keys():
                    tasks[line] = asyncio.create_task(_listen(app, line), name=f"smpp-{line.client_id}")
            await asyncio.sleep(look_s)
    finally:
        await end_tasks(*tasks.values())
        with suppress(Exception):
            await release_connections(app, holder)


async def _listen(app: Application, line: SmsConnection) -> None:
    """Listen to one account repeatedly, with growing pauses after failures."""
    pause_s = FIRST_PAUSE_S

    async def take(news: News) -> None:
        nonlocal pause_s
        pause_s = FIRST_PAUSE_S
        if news:
            await process_deliveries(app, line.client_id, news)

    while True:
        try:
            await app.adapter(SmsLines).listen(line.account, line.secret, take)
        except SmsAccountRefused as refused:
            pause_s = LONGEST_PAUSE_S
            log.warning("client %s: %s", line.client_id, refused)
            with suppress(Exception):
                await record_connection_fault(app, line.client_id, "bind_refused")
        except (SmsBusy, KeyError) as fault:
            log.warning("client %s: %s", line.client_id, fault)
        except Exception:
            log.exception("client %s: the message centre is not heard", line.client_id)
        await asyncio.sleep(pause_s)
        pause_s = min(pause_s * 2, LONGEST_PAUSE_S)


async def process_deliveries(app: Application, client_id: int, news: News) -> None:
    """Store the news of a message centre about a client's messages atomically."""
    for attempt in range(ATTEMPTS):
        try:
            async with app.database.write(client_id) as work:
                call = await call_as_system(app, client_id, work)
                await lock_rights(call)  # as claims do, which touch many texts in another order
                for each in news:
                    if isinstance(each, SmsReceipt):
                        await apply_receipt(call, each, None)
                    else:
                        await record_reply(call, each)
            return
        except TransactionRetry:
            if attempt == ATTEMPTS - 1:
                raise
