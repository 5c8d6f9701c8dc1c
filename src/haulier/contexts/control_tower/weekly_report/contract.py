"""The weekly report: requests and answers."""

from datetime import date
from typing import Annotated

from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.values.moments import Day


class SetWeeklyReport(Request):
    """Whether the caller wants it."""

    enabled: Annotated[bool, Field(examples=[True])]
    """true: a letter comes each Monday from now on. false: none comes any more."""


class PreviewWeeklyReport(Request):
    """Which week."""

    week: Day | None = None
    """Any day of the week; when left out, the last week that is over."""


class WeeklyReport(Answer):
    """Whether the caller gets the letter of Monday."""

    result: bool = True
    enabled: bool
    last_week: Annotated[
        date | None, doc("The Monday of the week of which the last letter told; null before the first.")
    ]


class WeeklyReportLetter(Answer):
    """The letter of a week, as it is sent."""

    result: bool = True
    week: Annotated[date, doc("The Monday of the week that it tells of.")]
    subject: str
    text: str
