"""Whose timelines told events belong to: found by any of their names, or made."""

from collections.abc import Collection, Iterable

from msgspec import Struct

from haulier.contexts.tracking.ingest import store
from haulier.contexts.tracking.ingest.rules.parsed import SubjectNames
from haulier.contexts.tracking.timelines import store as timelines
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry


class SubjectMatch(Struct, kw_only=True, eq=False):
    """A timeline. `id` is None until a new one is made; `writable` says whether the provider may write in it."""

    number: str
    id: int | None = None
    writable: bool = True
    order_id: int | None = None
    package_id: int | None = None
    new_names: list[str] = []
    """Names that were not known of it."""


async def match_subjects(
    call: Call, subjects: Collection[SubjectNames], allowed_names: Collection[str]
) -> dict[SubjectNames, SubjectMatch]:
    """The timelines of some subjects, the same one for subjects that share a name.

    One that is another client's, or was given to carriers that the provider does not speak for, is not open to it.
    `allowed_names` are the names in which the provider may speak; none means any.
    """
    names = {name for named in subjects for name in named.names}
    known = await _known_subjects(call, names, allowed_names)
    new = names - known.keys()
    taken = await store.number_owners(call.work, new) if new else {}
    if call.client_id in taken.values():
        raise TransactionRetry  # a parallel call made it since we looked
    return {named: _match_subject(named, known, taken) for named in subjects}


async def _known_subjects(call: Call, names: set[str], allowed_names: Collection[str]) -> dict[str, SubjectMatch]:
    """The timelines that are there, by name. A number of the timeline's own counts before what others call one."""
    called = await store.subject_ids_by_carrier_number(call.work, names)
    rows = await store.lock_subjects(call.work, names, set(called.values()))
    given = await store.carriers_by_subject(call.work, [row.id for row in rows]) if rows and allowed_names else {}
    subject_matches: dict[int, SubjectMatch] = {}
    for row in rows:
        free = row.id not in given or not given[row.id].isdisjoint(allowed_names)
        subject_matches[row.id] = SubjectMatch(
            number=row.tracking_number, id=row.id, writable=free, order_id=row.order_id, package_id=row.package_id
        )
    by_name = {name: subject_matches[id] for name, id in called.items() if id in subject_matches}
    return by_name | {subject_match.number: subject_match for subject_match in subject_matches.values()}


def _match_subject(named: SubjectNames, known: dict[str, SubjectMatch], taken: Collection[str]) -> SubjectMatch:
    """The timeline of a subject, from now on known by all of the subject's names."""
    subject_match = next((known[name] for name in named.names if name in known), None)
    if subject_match is None:
        number = named.names[0]
        subject_match = known[number] = SubjectMatch(number=number, writable=number not in taken)
    for name in named.names:
        if name not in known:
            known[name] = subject_match
            subject_match.new_names.append(name)
    return subject_match


async def create_missing_subjects(
    call: Call, subject_matches: dict[SubjectNames, SubjectMatch], wanted: Iterable[SubjectNames]
) -> None:
    """Make those of the wanted subjects' timelines that are new, and write down the further names of all."""
    first = {subject_matches[named].number: named for named in reversed(list(dict.fromkeys(wanted)))}
    rows = [_subject_row(call, number, named) for number, named in first.items() if subject_matches[named].id is None]
    if rows:
        ids = await timelines.insert_subjects(call.work, rows)
        if len(ids) < len(rows):
            raise TransactionRetry  # somebody else took a number since we looked
        for subject_match in subject_matches.values():
            subject_match.id = ids.get(subject_match.number, subject_match.id)
    names = {
        name: subject_match.id
        for named in first.values()
        for subject_match in [subject_matches[named]]
        for name in subject_match.new_names
    }
    if names:
        await store.insert_aliases(call.work, {name: id for name, id in names.items() if id is not None})


def _subject_row(call: Call, number: str, named: SubjectNames) -> dict[str, object]:
    return {
        "tracking_number": number,
        "profile": named.profile,
        "external_number": named.external,
        "sscc": named.sscc,
        "created_at": call.now,
    }
