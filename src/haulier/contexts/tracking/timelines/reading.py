"""What every read of timelines does: find the subject, say its events in words, and leave out what the caller may not see."""

from collections.abc import Collection
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from haulier.contexts.tracking.otep.model import Timeline
from haulier.contexts.tracking.otep.rules.public import Describe, public_view
from haulier.contexts.tracking.timelines import store
from haulier.contexts.tracking.timelines.journeys import assembled_by, told_by, viewers_of
from haulier.contexts.tracking.timelines.rules import sees_everything
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.languages import Catalogues
from haulier.kernel.operation import Limit

PUBLIC_READS = (Limit(600, 60, ("address",)),)
"""Numbers cannot be guessed; the limit keeps one address from trying."""


async def subject(call: Call, number: str) -> Any:
    """The row of a subject with its events, of whichever client. Raises `NOT_FOUND`."""
    row = await store.journey(call.work, number)
    if row is None:
        raise NOT_FOUND()
    return row


def shown(call: Call, row: Any) -> Timeline:
    """The timeline of a subject as the caller may see it: whole for whom it concerns, else what a recipient's page shows."""
    timeline, call.fingerprint = told_by(row)
    if sees_everything(call.principal, row.client_id, viewers_of(row)):
        return described(call, timeline)
    return public_view(timeline, in_words(call))


async def public(call: Call, number: str) -> Timeline | None:
    """What a recipient's page shows of a number, to be written down and not looked into: its events are written already.

    None where it has to be made from the whole events. Raises `NOT_FOUND`.
    """
    row = await store.shown(call.work, number)
    if row is None:
        raise NOT_FOUND()
    if told := assembled_by(row, in_words(call)):
        timeline, call.fingerprint = told
        return timeline
    return None


async def public_of_all(call: Call, numbers: Collection[str]) -> dict[str, Timeline]:
    """The same for many numbers at once; those that are unknown or have to be made are missing."""
    rows, describe = await store.shown_of_all(call.work, numbers), in_words(call)
    return {row.tracking_number: told[0] for row in rows if (told := assembled_by(row, describe))}


def described(call: Call, timeline: Timeline) -> Timeline:
    """A timeline whose events say in words what they mean, in the caller's language."""
    describe = in_words(call)
    told = (replace(event, description=describe(event.status_code, event.phase)) for event in timeline.events)
    return replace(timeline, events=tuple(told))


def in_words(call: Call) -> Describe:
    """What says a status in the caller's language."""
    return _in_words(call.house.catalogues, call.language)


@lru_cache(maxsize=64)
def _in_words(catalogues: Catalogues, language: str) -> Describe:
    words = catalogues.words(language)

    @lru_cache(maxsize=1024)
    def describe(status_code: str, phase: str) -> str:
        """A status that is not registered is said by its phase."""
        return str(words.get(f"otep.status.{status_code}") or words[f"otep.phase.{phase}"])

    return describe


def viewer(call: Call) -> tuple[str, int] | None:
    """The kind of account and the user that must stand on a subject for the caller to see it; None for the office."""
    if call.principal.account in OFFICE:
        return None
    return call.principal.account.value, call.actor or 0
