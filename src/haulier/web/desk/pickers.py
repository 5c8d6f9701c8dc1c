"""Suggested records for fields with IDs, and the initial location of maps."""

from collections.abc import Iterator
from typing import Any

from haulier.contexts.fleet.depots.operations import list_depots
from haulier.kernel.operations.resources import Resource
from haulier.web.desk.forms import Field
from haulier.web.desk.pages import DeskRequest
from haulier.web.desk.reader import id_of

PICKED_MAX = 100
PICKERS_MAX = 5
"""Maximum number of pickers in a form, as each costs a read."""


async def pickers_for(desk: DeskRequest, fields: list[Field]) -> dict[str, list[tuple[str, str]]]:
    """Return IDs and names by noun, and tell fields their picker."""
    found: dict[str, list[tuple[str, str]]] = {}
    for field in _id_fields(fields):
        noun = _noun_of(desk, field)
        if noun is None or noun.parents or not desk.may(noun.listing):
            continue
        if noun.key not in found and len(found) < PICKERS_MAX:
            sized = {"per_page": PICKED_MAX} if "per_page" in noun.listing.request.model_fields else {}
            rows = (await desk.read(noun.listing, sized) or {}).get(noun.rows) or []
            ids = [(id, row) for row in rows if (id := id_of(noun, row))]
            found[noun.key] = [(id, desk.reader.record_title(noun, [id], row)) for id, row in ids]
        field.refers_to = noun.key if found.get(noun.key) else None
    return found


def _noun_of(desk: DeskRequest, field: Field) -> Resource | None:
    """Return the noun that a field refers to: by its type, else by its name."""
    nouns = desk.places.nouns
    return nouns.referred_to(field.label) if field.reference is None else nouns.by_key.get(field.reference)


async def home_of(desk: DeskRequest) -> dict[str, Any] | None:
    """Return the location of the business: the first depot that the caller may see."""
    depots = (await desk.read_if_allowed(list_depots, per_page=1)).get("depots") or []
    return next((depot for depot in depots if depot.get("lat") is not None), None)


def _id_fields(fields: list[Field]) -> Iterator[Field]:
    for field in fields:
        if field.fields:
            yield from _id_fields(field.fields)
        elif field.kind == "number":
            yield field
