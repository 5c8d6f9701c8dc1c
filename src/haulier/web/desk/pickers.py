"""Records chosen by name: suggestions, names, and typed names read back."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from starlette.responses import JSONResponse, Response

from haulier.contexts.fleet.depots.operations import list_depots
from haulier.kernel.operations.resources import Resource
from haulier.web.desk.pages import DeskRequest, not_found
from haulier.web.desk.places import declarations
from haulier.web.desk.reader import NAMING_FIELDS, id_of, named_beside, record_in
from haulier.web.kinds.names import CANDIDATES_MAX, fold, options_of
from haulier.web.kinds.numbers import InputFault
from haulier.web.kinds.table import CHOSEN, Kind

PICKED_MAX = 100
OPTIONS_MAX = 20
NAMED_NOUNS_MAX, NAMED_EACH_MAX = 4, 20
"""Maximum number of lists, and of further records each, that are read for names."""
KNOWN_BY_NUMBER = frozenset({"orders", "routes", "shipments"})
"""Nouns whose records people know by their number."""
SEARCHES = ("search", "q")


async def options_page(desk: DeskRequest) -> Response:
    """Return the suggestions of a picker that match a text, as values with names."""
    source, typed = desk.request.path_params["source"], desk.texts.get("q", [""])[-1][:100]
    if source in {str(kind) for kind in CHOSEN}:
        options = options_of(Kind(source), desk.habits)
        found = [(code, name) for name, code in options.items() if fold(typed) in fold(f"{name} {code}")]
        found.sort(key=lambda each: not fold(each[1]).startswith(fold(typed)))
    else:
        noun = desk.places.nouns.by_key.get(source)
        if noun is None or not is_pickable(desk, noun):
            return not_found(desk)
        found = list((await find_records(desk, noun, typed)).items())
    return JSONResponse(found[: OPTIONS_MAX if source not in {str(kind) for kind in CHOSEN} else PICKED_MAX])


def is_pickable(desk: DeskRequest, noun: Resource | None) -> bool:
    """Return True if the caller may list the records of a noun by themselves."""
    return noun is not None and not noun.parents and bool(noun.ids) and desk.may(noun.listing)


async def find_records(desk: DeskRequest, noun: Resource, typed: str = "") -> dict[str, str]:
    """Return the names of records that match a text, by id."""
    fields = noun.listing.request.model_fields
    known = declarations().found_by.get(noun.key)
    search = known or next((name for name in SEARCHES if name in fields), None)
    asked: dict[str, Any] = {"per_page": PICKED_MAX} if "per_page" in fields else {}
    if typed and search:
        asked[search] = typed
    rows = (await desk.read(noun.listing, asked) or {}).get(noun.rows) or []
    named = _names(desk, noun, rows)
    folded = fold(typed)
    return named if typed and search else {id: name for id, name in named.items() if folded in fold(f"{name} {id}")}


async def load_names(desk: DeskRequest, rows: Iterable[Mapping[str, Any]], columns: Collection[str]) -> None:
    """Read the names of records that rows hold only by id."""
    wanted: dict[str, set[str]] = {}
    for row in rows:
        for name in columns:
            noun = desk.reader.noun_of_id(name, row) if isinstance(row.get(name), int) else None
            if noun and noun.key not in KNOWN_BY_NUMBER and not row.get(named_beside(name)) and is_pickable(desk, noun):
                wanted.setdefault(noun.key, set()).add(str(row[name]))
    for key, ids in list(wanted.items())[:NAMED_NOUNS_MAX]:
        noun = desk.places.nouns.by_key[key]
        known = await find_records(desk, noun)
        missing = sorted(ids - known.keys())[:NAMED_EACH_MAX]
        desk.reader.known_names[key] = {**known, **{id: await name_record(desk, noun, id, known) for id in missing}}


async def name_record(desk: DeskRequest, noun: Resource, id: str, known: Mapping[str, str]) -> str:
    """Return the name of a record that a field holds."""
    if id in known:
        return known[id]
    if noun.record is None or not desk.may(noun.record) or not id.isdecimal():
        return id
    answer = await desk.read(noun.record, {noun.ids[-1]: int(id)})
    return _name(desk, noun, id, record_in(answer)) if answer else id


async def id_named(desk: DeskRequest, noun: Resource, text: str) -> str:
    """Return the id of the record that a typed name means. Raises `InputFault`."""
    named = await find_records(desk, noun)
    exact = _exact(named, text)
    if len(exact) == 1:
        return exact[0]
    found = await find_records(desk, noun, text.partition(" · ")[0].strip()) or named
    exact = _exact(found, text)
    if len(exact) == 1:
        return exact[0]
    starting = {id: name for id, name in found.items() if fold(text) in fold(name)}
    if len(starting) == 1:
        return next(iter(starting))
    if not starting:
        raise InputFault("kinds.unknown_choice", given=text)
    raise InputFault("kinds.several_choices", given=text, names="; ".join(list(starting.values())[:CANDIDATES_MAX]))


def _exact(named: Mapping[str, str], text: str) -> list[str]:
    ids = [id for id, name in named.items() if fold(name) == fold(text)]
    return ids or [id for id in named if id == text.strip().lstrip("#")]


def _names(desk: DeskRequest, noun: Resource, rows: list[dict[str, Any]]) -> dict[str, str]:
    """Return names by id; equal names also show their number."""
    named = {id: _name(desk, noun, id, row) for row in rows if (id := id_of(noun, row))}
    names = list(named.values())
    return {id: f"{name} · {id}" if names.count(name) > 1 else name for id, name in named.items()}


def _name(desk: DeskRequest, noun: Resource, id: str, row: Mapping[str, Any]) -> str:
    person = row.get("consignee") if isinstance(row.get("consignee"), dict) else row
    parts = [str(row[part]) for part in NAMING_FIELDS if row.get(part)][:1]
    if noun.key in {"orders", "addresses"}:
        whom = (person or {}).get("name") if noun.key == "orders" else row.get("address")
        parts += [str(whom)] if whom and str(whom) not in parts else []
    return " · ".join(parts) or desk.reader.record_title(noun, [id], row)


async def home_of(desk: DeskRequest) -> dict[str, Any] | None:
    """Return the location of the business: the first depot that the caller may see."""
    depots = (await desk.read_if_allowed(list_depots, per_page=1)).get("depots") or []
    return next((depot for depot in depots if depot.get("lat") is not None), None)
