"""Rules of reported weeks and due times."""

from datetime import date, datetime, time, timedelta

from msgspec import Struct

DAYS = timedelta(days=7)
SENT_FROM = time(7, 0)
"""Time on the business's clock from which reports are sent on Monday, or later."""
WEEKLY_REPORT_JOB = "weekly_report.send"
LINES_MAX = 5
"""Maximum number of reasons, drivers and customers in a report."""


class SendWeeklyReport(Struct, frozen=True, kw_only=True):
    """Job arguments: recipient and week of a report."""

    user_id: int
    week: date


def week_of(day: date) -> date:
    """Return the Monday of a day's week."""
    return day - timedelta(days=day.weekday())


def last_week_before(day: date) -> date:
    """Return the Monday of the last week that was over on a day."""
    return week_of(day) - DAYS


def due_week(local_now: datetime) -> date:
    """Return the week whose report is due at a local time, from Monday at seven."""
    week = last_week_before(local_now.date())
    is_early = local_now.weekday() == 0 and local_now.time() < SENT_FROM
    return week - DAYS if is_early else week
