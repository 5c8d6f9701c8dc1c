"""Which week a letter is about, and when it is due."""

from datetime import date, datetime, time, timedelta

from msgspec import Struct

DAYS = timedelta(days=7)
SENT_FROM = time(7, 0)
"""Letters go out from this time on, on the business's clock, on Monday or as soon after it as somebody serves."""
WEEKLY_REPORT_JOB = "weekly_report.send"
LINES_MAX = 5
"""So many reasons, drivers and customers stand in a letter."""


class SendWeeklyReport(Struct, frozen=True, kw_only=True):
    """The job of one letter: to whom, and about which week."""

    user_id: int
    week: date


def week_of(day: date) -> date:
    """The Monday of a day's week."""
    return day - timedelta(days=day.weekday())


def last_week_before(day: date) -> date:
    """The Monday of the last week that was over on a day."""
    return week_of(day) - DAYS


def due_week(local_now: datetime) -> date:
    """The week whose letter is due at a moment of the business's clock: the last one, from Monday at seven on."""
    week = last_week_before(local_now.date())
    is_early = local_now.weekday() == 0 and local_now.time() < SENT_FROM
    return week - DAYS if is_early else week
