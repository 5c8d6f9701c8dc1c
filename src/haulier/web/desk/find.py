"""Search of the command palette: pages, records and actions for a few words."""

import re
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from haulier.contexts.identity.saved_views.operations import list_saved_views
from haulier.contexts.identity.saved_views.rules import NAME_MAX
from haulier.kernel.operations.declaration import Operation
from haulier.kernel.operations.enums import Effect
from haulier.kernel.values.words import fold_words
from haulier.web.desk.pages import DeskRequest
from haulier.web.desk.places import act_address, address_of, declarations
from haulier.web.desk.reader import id_of
from haulier.web.desk.views import view_address
from haulier.web.pages.value_formatter import Words

FOUND_MAX = 12
AGENT_ADDRESS = "/desk/agent"
RECORDS_EACH = 4
NEW_WORDS = frozenset(fold_words("new add neu neue neuer neues neuen nouveau nouvelle nouvel ajouter nuevo nueva"))
_NUMBER = re.compile(r"\b(\d{1,15})$")


class Found(Struct, frozen=True):
    """A line of the palette."""

    kind: str
    words: Words
    address: str


async def find_page(desk: DeskRequest) -> Response:
    """Render search results: lines for the palette, otherwise a page."""
    typed = " ".join(desk.texts.get("q", [""])[-1].split())[:100]
    found = [*_pages(desk, typed), *_acts(desk, typed)][:FOUND_MAX] if typed else []
    records = [*await _records(desk, typed), *await _views(desk, typed)] if len(typed) > 1 else []
    part = "desk_found.html" if "part" in desk.texts else "desk_find.html"
    return desk.page(part, found=[*records, *found], typed=typed)


def _pages(desk: DeskRequest, typed: str) -> list[Found]:
    nouns = [noun for noun in desk.places.nouns if not noun.parents and desk.may(noun.listing)]
    named = [Found("page", desk.reader.noun(noun), address_of(noun)) for noun in nouns]
    for section, (address, shown) in declarations().section_pages.items():
        if desk.may(desk.places.registry.get(shown)) and address not in {each.address for each in named}:
            named.append(Found("page", Words(desk.say(f"desk.section_{section}")), address))
    for name, address in desk.places.further_pages(desk.session).items():
        named.append(Found("page", Words(desk.say(f"desk.page_{name}")), address))
    if desk.session.office and desk.find("send_agent_turn"):
        named.append(Found("page", Words(desk.say("agent_page.title")), AGENT_ADDRESS))
    return _fitting(named, typed)


def _acts(desk: DeskRequest, typed: str) -> list[Found]:
    """Return matching actions; a trailing number selects the record."""
    number = _NUMBER.search(typed)
    words = typed[: number.start()].strip() if number else typed
    acts = [act for act in desk.places.registry if desk.places.has_page(act) and desk.may(act) and _is_act(desk, act)]
    return _fitting(
        [Found("act", desk.reader.title(act), _address(desk, act, number and number[1])) for act in acts], words
    )


def _is_act(desk: DeskRequest, operation: Operation[Any, Any]) -> bool:
    """Return True for writes, reports and exports.

    Lists and records are found by their nouns.
    """
    noun = desk.places.nouns.of_operation.get(operation.name)
    return operation.effect is Effect.WRITE or noun is None or operation not in (noun.listing, noun.record)


def _address(desk: DeskRequest, act: Operation[Any, Any], number: str | None) -> str:
    noun = desk.places.nouns.of_operation.get(act.name)
    if number is None or noun is None or noun.id_field is None or noun.id_field not in act.request.model_fields:
        return act_address(act)
    return act_address(act, **{noun.id_field: number})


def _fitting(found: list[Found], typed: str) -> list[Found]:
    """Return lines where each typed word begins a word, the shortest first.

    Case, accents and punctuation are ignored. A word for making something new finds every creation.
    """
    words = fold_words(typed)

    def fits(each: Found) -> bool:
        name = each.address.rpartition("/")[2].partition("?")[0].replace("_", " ")
        parts, inside = fold_words(each.words.text, name), each.words.text.lower()
        return all(
            any(part.startswith(word) for part in parts)
            or (word in NEW_WORDS and "create" in parts)
            or (not word.isascii() and word in inside)
            for word in words
        )

    return sorted(filter(fits, found), key=lambda each: len(each.words.text)) if words else []


async def _views(desk: DeskRequest, typed: str) -> list[Found]:
    """Kept views of lists, by a part of their name."""
    answer = await desk.read_if_allowed(list_saved_views, search=typed[:NAME_MAX], per_page=RECORDS_EACH)
    named = [(desk.places.nouns.by_key.get(view["noun"]), view) for view in answer.get("saved_views") or []]
    return [
        Found("view", Words(f"{desk.reader.noun(noun).text}: {view['name']}"), view_address(view))
        for noun, view in named
        if noun and desk.may(noun.listing)
    ]


async def _records(desk: DeskRequest, typed: str) -> list[Found]:
    found: list[Found] = []
    for key, field in declarations().found_by.items():
        noun = desk.places.nouns.by_key.get(key)
        if noun is None or not desk.may(noun.listing):
            continue
        answer = await desk.read(noun.listing, {field: typed, "per_page": RECORDS_EACH}) or {}
        named = [(id, row) for row in answer.get(noun.rows) or [] if (id := id_of(noun, row))]
        found += [
            Found("record", Words(desk.reader.record_title(noun, [id], row)), address_of(noun, [id]))
            for id, row in named
        ]
    return found
