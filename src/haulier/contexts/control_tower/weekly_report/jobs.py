"""Jobs that send reports on Monday, by each business's clock."""

from datetime import timedelta

from haulier.contexts.control_tower.weekly_report import store
from haulier.contexts.control_tower.weekly_report.queries import load_week
from haulier.contexts.control_tower.weekly_report.rules import WEEKLY_REPORT_JOB, SendWeeklyReport, due_week
from haulier.contexts.control_tower.weekly_report.serializers import compose_email
from haulier.contexts.identity.public import (
    find_all_client_ids,
    get_mail_recipient,
    list_standing_principals,
    send_mail_to_address,
)
from haulier.kernel.application import Application
from haulier.kernel.background.jobs import job
from haulier.kernel.background.periodic import periodic
from haulier.kernel.call import Call, call_as_system
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.enums import Account
from haulier.kernel.pipeline.reach import can_call
from haulier.kernel.principal import Principal


@periodic(timedelta(hours=1))
async def send_weekly_reports(app: Application) -> None:
    """Claim and enqueue due reports. Missed ones are sent later in the week."""
    async with app.database.read(None) as work:
        clients = await find_all_client_ids(work)
    for client_id in clients:
        async with app.database.write(client_id) as work:
            call = await call_as_system(app, client_id, work)
            week = due_week(call.now.astimezone(call.time_zone))
            for row in await store.claim_subscriptions(work, week):
                args = SendWeeklyReport(user_id=row.user_id, week=week)
                await call.enqueue(WEEKLY_REPORT_JOB, args, idempotency_key=f"{row.user_id}:{week}")


@job(WEEKLY_REPORT_JOB, SendWeeklyReport, max_attempts=4)
async def send_weekly_report(run: JobRun, args: SendWeeklyReport) -> None:
    """Send one report. Users who may no longer see the figures are unsubscribed."""
    async with run.call() as call:
        reader = await _load_reader(call, args.user_id)
        to = await get_mail_recipient(call.work, call.client_id, args.user_id)
        if to is None or reader is None:
            await store.delete_subscription(call.work, args.user_id)
            return
        own = args.user_id if reader.account is Account.CONTRACTOR else None
        figures = await load_week(call, args.week, own)
        letter = compose_email(call.app, figures, language=to.language, name=to.name, client=to.client)
    await send_mail_to_address(
        run.app, run.client_id, to=to.email, subject=letter.subject, text=letter.text, language=to.language
    )


async def _load_reader(call: Call, user_id: int) -> Principal | None:
    """Return the subscriber; None if they could not read the report now.

    None also if the token of the subscription could not.
    """
    subscription = await store.get_subscription(call.work, user_id)
    if subscription is None:
        return None
    who = user_id, subscription.set_up_with
    reader = (await list_standing_principals(call.work, call.business, {who}, call.now)).get(who)
    return reader if reader and can_call(call.app.registry["preview_weekly_report"], reader) else None
