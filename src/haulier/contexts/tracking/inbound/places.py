"""Whose timelines told events belong to: found by any of their names, or made."""

from collections.abc import Collection, Iterable

from msgspec import Struct

from haulier.contexts.tracking.inbound import store
from haulier.contexts.tracking.inbound.rules.told import Named
from haulier.contexts.tracking.timelines import store as timelines
from haulier.kernel.call import Call
from haulier.kernel.data.work import Retry


class Place(Struct, kw_only=True, eq=False):
    """A timeline. `id` is None until a new one is made; `open` says whether the provider may write in it."""

    number: str
    id: int | None = None
    open: bool = True
    order_id: int | None = None
    package_id: int | None = None
    further: list[str] = []
    """Names that were not known of it."""


async def find(call: Call, subjects: Collection[Named], speaks: Collection[str]) -> dict[Named, Place]:
    """The timelines of some subjects, the same one for subjects that share a name.

    One that is another client's, or was given to carriers that the provider does not speak for, is not open to it.
    `speaks` are the names in which the provider may speak; none means any.
    """
    names = {name for named in subjects for name in named.names}
    known = await _known(call, names, speaks)
    new = names - known.keys()
    taken = await store.taken(call.work, new) if new else {}
    if call.client_id in taken.values():
        raise Retry  # a parallel call made it since we looked
    return {named: _place(named, known, taken) for named in subjects}


async def _known(call: Call, names: set[str], speaks: Collection[str]) -> dict[str, Place]:
    """The timelines that are there, by name. A number of the timeline's own counts before what others call one."""
    called = await store.called(call.work, names)
    rows = await store.found(call.work, names, set(called.values()))
    given = await store.carriers(call.work, [row.id for row in rows]) if rows and speaks else {}
    places: dict[int, Place] = {}
    for row in rows:
        free = row.id not in given or not given[row.id].isdisjoint(speaks)
        places[row.id] = Place(
            number=row.tracking_number, id=row.id, open=free, order_id=row.order_id, package_id=row.package_id
        )
    by_name = {name: places[id] for name, id in called.items() if id in places}
    return by_name | {place.number: place for place in places.values()}


def _place(named: Named, known: dict[str, Place], taken: Collection[str]) -> Place:
    """The timeline of a subject, from now on known by all of the subject's names."""
    place = next((known[name] for name in named.names if name in known), None)
    if place is None:
        number = named.names[0]
        place = known[number] = Place(number=number, open=number not in taken)
    for name in named.names:
        if name not in known:
            known[name] = place
            place.further.append(name)
    return place


async def make(call: Call, places: dict[Named, Place], wanted: Iterable[Named]) -> None:
    """Make those of the wanted subjects' timelines that are new, and write down the further names of all."""
    first = {places[named].number: named for named in reversed(list(dict.fromkeys(wanted)))}
    rows = [_row(call, number, named) for number, named in first.items() if places[named].id is None]
    if rows:
        ids = await timelines.add_subjects(call.work, rows)
        if len(ids) < len(rows):
            raise Retry  # somebody else took a number since we looked
        for place in places.values():
            place.id = ids.get(place.number, place.id)
    names = {name: place.id for named in first.values() for place in [places[named]] for name in place.further}
    if names:
        await store.add_names(call.work, {name: id for name, id in names.items() if id is not None})


def _row(call: Call, number: str, named: Named) -> dict[str, object]:
    return {
        "tracking_number": number,
        "profile": named.profile,
        "external_number": named.external,
        "sscc": named.sscc,
        "created_at": call.now,
    }
