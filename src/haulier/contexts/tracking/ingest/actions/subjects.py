"""The timelines that reported events belong to: found by any of their numbers, or created."""

from collections.abc import Collection, Iterable

from msgspec import Struct

from haulier.contexts.tracking.ingest import store
from haulier.contexts.tracking.ingest.rules.parsed import SubjectNames
from haulier.contexts.tracking.timelines.actions import add_subject_aliases, add_subjects
from haulier.contexts.tracking.timelines.queries import list_number_owners, lock_subjects_by_number
from haulier.contexts.tracking.timelines.rules import make_number_key
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import TransactionRetry


class SubjectMatch(Struct, kw_only=True, eq=False):
    """A timeline. `id` is None until a new one is created; `foreign` ones belong to another client.

    `carriers` are those that it was entrusted to; empty where they are not known.
    """

    number: str
    id: int | None = None
    foreign: bool = False
    carriers: frozenset[str] = frozenset()
    order_id: int | None = None
    package_id: int | None = None
    created: bool = False
    """Whether the document that is being read created it."""
    new_names: list[str] = []
    """Names that are not stored as its aliases yet."""


async def match_subjects(call: Call, subjects: Collection[SubjectNames]) -> dict[SubjectNames, SubjectMatch]:
    """The timelines of some subjects, the same one for subjects that share a name."""
    names = {name for subject in subjects for name in subject.names}
    matches = await _known_subjects(call, names)
    owners = await list_number_owners(call.work, names - matches.keys())
    if call.client_id in owners.values():
        raise TransactionRetry  # a parallel call created it after it was looked up
    return {subject: _match_subject(subject, matches, owners) for subject in subjects}


async def _known_subjects(call: Call, names: set[str]) -> dict[str, SubjectMatch]:
    """The timelines that exist, by name."""
    rows = await lock_subjects_by_number(call.work, names)
    ids = {row.id for row in rows.values()}
    carriers = await store.carriers_by_subject(call.work, ids) if ids else {}
    matches = {
        row.id: SubjectMatch(
            number=row.tracking_number,
            id=row.id,
            carriers=frozenset(carriers.get(row.id, ())),
            order_id=row.order_id,
            package_id=row.package_id,
        )
        for row in rows.values()
    }
    return {name: matches[row.id] for name, row in rows.items()}


def _match_subject(subject: SubjectNames, matches: dict[str, SubjectMatch], owners: Collection[str]) -> SubjectMatch:
    """The timeline of a subject. All names of the subject are added to `matches`."""
    spellings = [spelling for name in subject.names for spelling in (name, make_number_key(name))]
    match = next((matches[spelling] for spelling in spellings if spelling in matches), None)
    if match is None:
        number = subject.names[0]
        match = matches[make_number_key(number)] = SubjectMatch(number=number, foreign=number in owners)
    for name in subject.names:
        if name not in matches and make_number_key(name) not in matches:
            match.new_names.append(name)
        matches.setdefault(name, match)
        matches.setdefault(make_number_key(name), match)
    return match


async def create_missing_subjects(
    call: Call, subject_matches: dict[SubjectNames, SubjectMatch], keys: Iterable[SubjectNames]
) -> None:
    """Create the timelines of the wanted subjects that are new, and write the further names of all."""
    # Why reversed: of several subjects on one timeline the first one counts, and the last entry of a dict wins.
    by_number = {subject_matches[names].number: names for names in reversed(list(dict.fromkeys(keys)))}
    rows = [
        _subject_row(call, number, names) for number, names in by_number.items() if subject_matches[names].id is None
    ]
    if rows:
        ids = await add_subjects(call.work, rows)
        if len(ids) < len(rows):
            raise TransactionRetry  # a parallel call took a number after it was looked up
        for match in subject_matches.values():
            if match.id is None:
                match.id = ids.get(match.number)
                match.created = True
    matches = [subject_matches[names] for names in by_number.values()]
    aliases = {name: match.id for match in matches if match.id is not None for name in match.new_names}
    if aliases:
        await add_subject_aliases(call.work, aliases)


def _subject_row(call: Call, number: str, names: SubjectNames) -> dict[str, object]:
    return {
        "tracking_number": number,
        "profile": names.profile,
        "external_number": names.external,
        "sscc": names.sscc,
        "created_at": call.now,
    }
