"""Empty states of lists: title, explanation, and the address without filters."""

from collections.abc import Mapping, Set
from datetime import date
from typing import Any

from msgspec import Struct

from haulier.kernel.operations.resources import Resource
from haulier.web.desk.pages import UNFILTERED, DeskRequest
from haulier.web.desk.places import address_of
from haulier.web.pages.value_formatter import parse_day


class EmptyList(Struct, frozen=True):
    """Title and explanation of a list without rows."""

    title: str
    text: str
    filtered: bool
    unfiltered: str
    """The address of the list with its parents and required fields only."""


def empty_list(desk: DeskRequest, noun: Resource, values: Mapping[str, Any]) -> EmptyList:
    """Return the empty state of a list for its filters, its day or no records."""
    kept = {*noun.parents, *_required(noun)}
    filters = desk.texts.keys() - UNFILTERED - kept
    title, text = _words(desk, noun, filters, parse_day(values.get("day")))
    within = {name: texts for name, texts in desk.texts.items() if name in kept}
    unfiltered = desk.address_with(within) if within else address_of(noun)
    return EmptyList(title[:1].upper() + title[1:], text, filtered=bool(filters), unfiltered=unfiltered)


def _words(desk: DeskRequest, noun: Resource, filters: Set[str], day: date | None) -> tuple[str, str]:
    """Return title and text: no match, none on the day, none yet, or none."""
    own = f"empty_list.{noun.listing.name}"
    none, about = desk.say(f"{own}.none"), desk.say(f"{own}.text")
    if none.startswith("empty_list."):
        return desk.say("desk.none" if filters else "desk.none_yet"), ""
    if day and filters == {"day"}:
        return desk.say("empty_list.on_day", none=none, day=desk.formatter.named_day(day)), about
    if filters:
        return desk.say("empty_list.unmatched", none=none), desk.say("empty_list.unmatched_text")
    return desk.say("empty_list.yet" if noun.makes else "empty_list.title", none=none), about


def _required(noun: Resource) -> list[str]:
    return [name for name, field in noun.listing.request.model_fields.items() if field.is_required()]
