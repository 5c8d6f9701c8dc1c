"""The report email in the reader's language."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from babel.dates import format_date
from babel.numbers import format_decimal, format_percent
from msgspec import Struct

from haulier.contexts.control_tower.overview.contract import OrderCounts, SummaryLine
from haulier.contexts.control_tower.weekly_report.queries import LAST_DAY, WeekFigures
from haulier.contexts.control_tower.weekly_report.rules import LINES_MAX
from haulier.kernel.application import Application
from haulier.kernel.values.money import Money

PAGE = "/desk/insights"
INDENT = "  "


class ComposedReport(Struct, frozen=True):
    """A composed email."""

    subject: str
    text: str


def compose_email(app: Application, figures: WeekFigures, *, language: str, name: str, client: str) -> ComposedReport:
    """Return the report email of a week: orders, outcomes, and top subjects."""
    say = partial(app.catalogues.translate, language)
    first, last = figures.week, figures.week + LAST_DAY
    days = {"first": _day(first, language), "last": _day(last, language)}
    facts = "\n".join(_facts(say, figures, language))
    link = f"{app.base_url}{PAGE}?date_from={first}&date_to={last}"
    return ComposedReport(
        subject=say("weekly_report_subject", client=client, **days),
        text=say("weekly_report_text", name=name, client=client, facts=facts, link=link, **days),
    )


def _facts(say: Any, figures: WeekFigures, language: str) -> Iterator[str]:
    total, before = figures.total, figures.before
    if not total.orders and not before.orders:
        yield say("weekly_report_no_orders")
        return
    counts = {"orders": "orders", "delivered": "delivered", "failed": "failed_attempts"}
    for line, member in counts.items():
        yield say(f"weekly_report_{line}", count=getattr(total, member), before=getattr(before, member))
    yield say("weekly_report_on_time", share=_share(total, language), before=_share(before, language))
    if total.ratings or before.ratings:
        yield say("weekly_report_ratings", count=total.ratings, before=before.ratings)
        yield say("weekly_report_rating", average=_stars(total, language), before=_stars(before, language))
    for money in total.money or ():
        yield say("weekly_report_money", amount=Money(int(money.ordered_minor or 0), money.currency).format(language))
    for reason in total.failed_by_reason[:LINES_MAX]:
        yield f"{INDENT}{_reason(say, reason.reason)}: {reason.attempts}"
    for heading, lines in (("drivers", figures.drivers), ("customers", figures.customers)):
        yield from _people(say, heading, lines, language)


def _people(say: Any, heading: str, lines: Sequence[SummaryLine], language: str) -> Iterator[str]:
    if lines:
        yield ""
        yield say(f"weekly_report_{heading}")
    for line in lines:
        counts = {"orders": line.orders, "delivered": line.delivered, "share": _share(line, language)}
        yield INDENT + say("weekly_report_person", name=line.name or line.key, **counts)


def _share(counts: OrderCounts, language: str) -> str:
    """Return the share of deliveries on time, or a dash."""
    if counts.on_time_share is None:
        return "—"
    return format_percent(counts.on_time_share, locale=language.replace("-", "_"))


def _stars(counts: OrderCounts, language: str) -> str:
    """Return the average rating, or a dash."""
    if counts.rating_average is None:
        return "—"
    return format_decimal(counts.rating_average, "0.##", locale=language.replace("-", "_"))


def _reason(say: Any, code: str) -> str:
    """Return the name of a built-in reason, else the business's code as words."""
    named = say(f"choice.{code}")
    return code.replace("_", " ") if named == f"choice.{code}" else named


def _day(day: Any, language: str) -> str:
    return format_date(day, "long", locale=language.replace("-", "_"))
