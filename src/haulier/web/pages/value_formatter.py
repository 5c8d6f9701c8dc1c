"""Display of plain values: names, times in the reader's zone, record trees."""

import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from babel import Locale
from babel.dates import format_date, format_skeleton, format_time, format_timedelta
from babel.units import format_unit
from msgspec import Struct

from haulier.kernel.i18n.choices import choice_messages
from haulier.kernel.operations.resources import snake_case
from haulier.web.i18n import Translate
from haulier.web.kinds.habits import Habits
from haulier.web.kinds.table import MEASURED, kind_of_value
from haulier.web.kinds.writing import shown_value

UNIT_SUFFIXES = {"g", "h", "km", "m", "mm", "s"}
"""Suffixes of names of measured numbers."""
NAMED_BY_BUSINESSES = frozenset({"custom_fields", "values", "variables"})
"""Fields whose parts have the names that a business gave them, whatever else is called so."""
_WORD_BREAKS = re.compile(r"[_.]+|(?<=[a-z])(?=[A-Z])")
_UNIT = re.compile(r"\s*[(（][^()（）]{1,20}[)）]$")
"""Unit behind a name; values have their own."""
_CODE = re.compile(r"[A-Z]+(_[A-Z]+)*|[a-z]+(_[a-z]+)+")
_OWN_CODE = re.compile(r"[a-z][a-z0-9_]*")
NEAR_DAYS = 182
"""Days from today within which a date needs no year."""
_DAY_PATTERN = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT_PATTERN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*")


class Words(Struct, frozen=True):
    """A text, and whether it is English whatever the page's language."""

    text: str
    english: bool = False


class ValueTree(Struct, frozen=True):
    """A value: a text, named parts, or items in a row."""

    text: str = ""
    parts: list[tuple[str, "ValueTree"]] | None = None
    items: list["ValueTree"] | None = None

    @property
    def plain(self) -> bool:
        """Return True for a single text."""
        return self.parts is None and self.items is None


class ValueFormatter(Struct, frozen=True):
    """Formats values in a reader's language and time zone."""

    say: Translate
    language: str
    time_zone: str
    now: datetime
    habits: Habits = Habits("en")
    """Currency and units of the business."""

    @property
    def locale(self) -> str:
        """The language as Babel names it."""
        return self.language.replace("-", "_")

    def day(self, day: date) -> str:
        """A day, as short as it stays clear."""
        return format_date(day, "medium", locale=self.locale)

    def weekday(self, day: date) -> str:
        """A day of a calendar with its name: `Fri, Jun 12`."""
        return format_skeleton("MMMEd", datetime.combine(day, time()), locale=self.locale)

    def named_day(self, day: date) -> str:
        """A day with its weekday, and with its year unless it is within half a year."""
        near = abs((day - self.now.date()).days) <= NEAR_DAYS
        return format_skeleton("MMMEd" if near else "yMMMEd", datetime.combine(day, time()), locale=self.locale)

    def local_day(self, moment: str | None) -> str:
        """The day of an ISO moment where the business is."""
        found = parse_moment(moment)
        return self.named_day(found.astimezone(ZoneInfo(self.time_zone)).date()) if found else "—"

    def moment(self, moment: datetime) -> str:
        """A day with its weekday, and the time to the minute."""
        local = moment.astimezone(ZoneInfo(self.time_zone))
        pattern = str(Locale.parse(self.locale).datetime_formats["medium"])
        return pattern.format(format_time(local, "short", locale=self.locale), self.named_day(local.date()))

    def span(self, start: str, end: str) -> str:
        """A time span of two ISO moments; the day of the end only where it differs."""
        begins, ends = (datetime.fromisoformat(each).astimezone(ZoneInfo(self.time_zone)) for each in (start, end))
        until = format_time(ends, "short", locale=self.locale) if begins.date() == ends.date() else self.moment(ends)
        return f"{self.moment(begins)} – {until}"

    def clock(self, moment: datetime) -> str:
        """The time of a day: `2:20 PM`."""
        return format_time(moment, "short", tzinfo=ZoneInfo(self.time_zone), locale=self.locale)

    def clock_of(self, moment: str) -> str:
        """The time of day of an ISO moment."""
        return self.clock(datetime.fromisoformat(moment))

    def more_time(self, seconds: int) -> str:
        """A time that is added, in whole minutes: `+8 min`."""
        return _signed(seconds) + format_unit(abs(round(seconds / 60)), "duration-minute", "short", locale=self.locale)

    def more_way(self, metres: int) -> str:
        """A way that is added, in kilometres: `+3.2 km`."""
        return _signed(metres) + format_unit(
            abs(round(metres / 1000, 1)), "length-kilometer", "short", locale=self.locale
        )

    def ago(self, moment: datetime) -> str:
        """Return how long ago a time was, or how soon it is."""
        return format_timedelta(_rounded_to_minutes(moment - self.now), add_direction=True, locale=self.locale)

    def tree(self, value: Any, field: str = "", currency: str | None = None) -> ValueTree:
        """Return any JSON value as text, by the name of its field."""
        if isinstance(value, str):
            value = _parse_json_text(value)
        if isinstance(value, Mapping) and value:
            theirs = field in NAMED_BY_BUSINESSES
            names = {name: _own_name(name) if theirs else self.label(name).text for name in value}
            own = value.get("currency", currency)
            return ValueTree(parts=[(names[name], self.tree(inner, name, own)) for name, inner in value.items()])
        if isinstance(value, list) and value:
            trees = [self.tree(inner, field, currency) for inner in value]
            all_plain = all(tree.plain for tree in trees)
            return ValueTree(", ".join(tree.text for tree in trees)) if all_plain else ValueTree(items=trees)
        return ValueTree(self.measured(value, field, currency) or self._text(value))

    def measured(self, value: Any, field: str, currency: Any = None) -> str | None:
        """Return a value of a kind with its unit or name, or None for others."""
        kind = kind_of_value(field, value)
        return shown_value(kind, value, self.habits, currency if isinstance(currency, str) else None) if kind else None

    def _text(self, value: Any) -> str:
        if value is None or value == {} or value == []:
            return "—"
        if isinstance(value, bool):
            return self.say("page.yes" if value else "page.no")
        if moment := parse_moment(value):
            return self.moment(moment)
        day = parse_day(value)
        return self.named_day(day) if day else self._choice(str(value))

    def label(self, name: str) -> Words:
        """The name of a field, in the reader's language where it has words."""
        known = f"label.{snake_case(name)}"
        told = self.say(known)
        kind = kind_of_value(name, 1)
        if told != known:
            return Words(_UNIT.sub("", told) if kind and kind.kind in MEASURED else told)
        return Words(humanized_name(snake_case(name)), english=True)

    def _choice(self, text: str) -> str:
        """Return the name of a choice: `NEW_ORDER` is “new”.

        Unknown texts stay as they are.
        """
        named = ((id, self.say(id)) for id in choice_messages(text)) if _CODE.fullmatch(text) else ()
        return next((told for id, told in named if told != id), text)


def _signed(number: int) -> str:
    return "\N{MINUS SIGN}" if number < 0 else "+"


def _own_name(name: str) -> str:
    """Return a business's name for a value unchanged, unless it is an identifier."""
    return humanized_name(name) if _OWN_CODE.fullmatch(name) else name


def humanized_name(name: str) -> str:
    """Return a readable name: `weight_g` is “Weight (g)”."""
    plain, _, last = name.rpartition("_")
    unit = f" ({last})" if plain and last in UNIT_SUFFIXES else ""
    text = _WORD_BREAKS.sub(" ", plain if unit else name.removesuffix("_id") or name).strip().lower()
    return text[:1].upper() + text[1:] + unit


def parse_moment(value: Any) -> datetime | None:
    """The moment that a text is, or None."""
    if not isinstance(value, str) or not _MOMENT_PATTERN.fullmatch(value):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def parse_day(value: Any) -> date | None:
    """The day that a text is, or None."""
    if not isinstance(value, str) or not _DAY_PATTERN.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def _parse_json_text(text: str) -> Any:
    """The JSON document that a text is, else the text."""
    if text.startswith(("{", "[")):
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError:
            pass
    return text


def _rounded_to_minutes(span: timedelta) -> timedelta:
    """Return a duration rounded to minutes for readability."""
    return timedelta(seconds=round(span.total_seconds() / 60) * 60) if abs(span) > timedelta(minutes=1) else span
