"""Operations on the weekly report."""

from haulier.contexts.control_tower.overview.operations import READERS
from haulier.contexts.control_tower.overview.queries import own_contractor_id
from haulier.contexts.control_tower.weekly_report import store
from haulier.contexts.control_tower.weekly_report.contract import (
    PreviewWeeklyReport,
    SetWeeklyReport,
    WeeklyReport,
    WeeklyReportLetter,
)
from haulier.contexts.control_tower.weekly_report.queries import load_week
from haulier.contexts.control_tower.weekly_report.rules import DAYS, due_week, last_week_before, week_of
from haulier.contexts.control_tower.weekly_report.serializers import compose_email
from haulier.contexts.identity.public import get_set_up_columns, require_client
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import Scope

PATH = "/v1/analytics/weekly-report"


@reads(
    "get_weekly_report",
    audience=READERS,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", PATH), GraphQL("weeklyReport")),
)
async def get_weekly_report(call: Call, request: EmptyRequest) -> WeeklyReport:
    """Get your weekly report subscription.

    Returns whether you get the email, and the last reported week.
    """
    return await _report(call)


@writes(
    "set_weekly_report",
    audience=READERS,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("PUT", PATH), GraphQL("setWeeklyReport")),
)
async def set_weekly_report(call: Call, request: SetWeeklyReport) -> WeeklyReport:
    """Subscribe to or unsubscribe from the weekly report.

    The email is sent each Monday from seven to your own address, in your language. The first one reports the current
    week.
    """
    assert call.actor is not None
    if request.enabled:
        token_id = (await get_set_up_columns(call))["set_up_with"]
        next_week = due_week(call.now.astimezone(call.time_zone)) + DAYS
        await store.upsert_subscription(
            call.work, user_id=call.actor, set_up_with=token_id, since=call.now, not_before=next_week
        )
    else:
        await store.delete_subscription(call.work, call.actor)
    call.add_audit_subjects("user", call.actor)
    return await _report(call)


@reads(
    "preview_weekly_report",
    audience=READERS,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", f"{PATH}/letter"), GraphQL("weeklyReportLetter")),
)
async def preview_weekly_report(call: Call, request: PreviewWeeklyReport) -> WeeklyReportLetter:
    """Preview the weekly report of a week.

    Uses the language of the call.
    """
    week = week_of(request.week) if request.week else last_week_before(call.today)
    figures = await load_week(call, week, own_contractor_id(call))
    reader, client = call.principal.name or "", await require_client(call.work, call.client_id)
    letter = compose_email(call.app, figures, language=call.language, name=reader, client=client.name)
    return WeeklyReportLetter(week=week, subject=letter.subject, text=letter.text)


async def _report(call: Call) -> WeeklyReport:
    assert call.actor is not None
    subscription = await store.get_subscription(call.work, call.actor)
    return WeeklyReport(enabled=subscription is not None, last_week=subscription and subscription.last_week)
