"""The weekly report: requests and answers."""

from datetime import date
from typing import Annotated

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.moments import Day


class SetWeeklyReport(Request):
    """Subscription of the caller."""

    enabled: Annotated[bool, Field(examples=[True])]
    """If true, you get an email each Monday from now on. If false, you get none."""


class PreviewWeeklyReport(Request):
    """A week to preview."""

    week: Day | None = None
    """Any day of the week. Defaults to the last full week."""


class WeeklyReport(Answer):
    """Weekly report subscription of the caller."""

    result: bool = True
    enabled: bool
    last_week: Annotated[date | None, doc("Monday of the last reported week; null before the first.")]


class WeeklyReportLetter(Answer):
    """The report email of a week."""

    result: bool = True
    week: Annotated[date, doc("Monday of the reported week.")]
    subject: str
    text: str
