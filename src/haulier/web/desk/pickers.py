"""Pickers: for a field that holds an id, the records that it may be the id of."""

from collections.abc import Iterator

from haulier.web.desk.forms import Field
from haulier.web.desk.pages import DeskRequest
from haulier.web.desk.reader import id_of

PICKED_MAX = 100
PICKERS_MAX = 5
"""Each costs a read, so a form has at most so many."""


async def pickers_for(desk: DeskRequest, fields: list[Field]) -> dict[str, list[tuple[str, str]]]:
    """By noun: ids with what their records are called. Fields are told which picker is theirs."""
    found: dict[str, list[tuple[str, str]]] = {}
    for field in _id_fields(fields):
        noun = desk.places.nouns.referred_to(field.label)
        if noun is None or noun.parents or not desk.may(noun.listing):
            continue
        if noun.key not in found and len(found) < PICKERS_MAX:
            sized = {"per_page": PICKED_MAX} if "per_page" in noun.listing.request.model_fields else {}
            rows = (await desk.read(noun.listing, sized) or {}).get(noun.rows) or []
            ids = [(id, row) for row in rows if (id := id_of(noun, row))]
            found[noun.key] = [(id, desk.reader.record_title(noun, [id], row)) for id, row in ids]
        field.refers_to = noun.key if found.get(noun.key) else None
    return found


def _id_fields(fields: list[Field]) -> Iterator[Field]:
    for field in fields:
        if field.fields:
            yield from _id_fields(field.fields)
        elif field.kind == "number":
            yield field
