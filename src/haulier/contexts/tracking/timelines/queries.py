"""What every read of timelines does: find the subject, say its events in words, and leave out what the caller may not see."""

from collections.abc import Collection
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from haulier.contexts.otep.public import DescribeStatus, Timeline, public_view
from haulier.contexts.tracking.timelines import store
from haulier.contexts.tracking.timelines.rules import may_see_full_timeline
from haulier.contexts.tracking.timelines.serializers import (
    public_timeline_and_fingerprint,
    subject_viewers,
    timeline_and_fingerprint,
)
from haulier.kernel.call import Call
from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.operations.declaration import RateLimit
from haulier.kernel.operations.enums import OFFICE
from haulier.kernel.operations.errors import NOT_FOUND

PUBLIC_READ_LIMITS = (RateLimit(600, 60, ("address",)),)
"""Numbers cannot be guessed; the limit keeps one address from trying."""


async def get_tracked_subject(call: Call, number: str) -> Any:
    """The row of a subject with its events, of whichever client. Raises `NOT_FOUND`."""
    row = await store.find_subject(call.work, number)
    if row is None:
        raise NOT_FOUND()
    return row


def visible_timeline(call: Call, row: Any) -> Timeline:
    """The timeline of a subject as the caller may see it: whole for whom it concerns, else what a recipient's page shows."""
    timeline, call.fingerprint = timeline_and_fingerprint(row)
    if may_see_full_timeline(call.principal, row.client_id, subject_viewers(row)):
        return describe_timeline(call, timeline)
    return public_view(timeline, status_describer(call))


async def get_public_timeline(call: Call, number: str) -> Timeline | None:
    """What a recipient's page shows of a number, to be written down and not looked into: its events are written already.

    None where it has to be made from the whole events. Raises `NOT_FOUND`.
    """
    row = await store.find_public_subject(call.work, number)
    if row is None:
        raise NOT_FOUND()
    if told := public_timeline_and_fingerprint(row, status_describer(call)):
        timeline, call.fingerprint = told
        return timeline
    return None


async def list_public_timelines(call: Call, numbers: Collection[str]) -> dict[str, Timeline]:
    """The same for many numbers at once; those that are unknown or have to be made are missing."""
    rows, describe = await store.list_public_subjects(call.work, numbers), status_describer(call)
    return {row.tracking_number: told[0] for row in rows if (told := public_timeline_and_fingerprint(row, describe))}


def describe_timeline(call: Call, timeline: Timeline) -> Timeline:
    """A timeline whose events say in words what they mean, in the caller's language."""
    describe = status_describer(call)
    told = (replace(event, description=describe(event.status_code, event.phase)) for event in timeline.events)
    return replace(timeline, events=tuple(told))


def status_describer(call: Call) -> DescribeStatus:
    """What says a status in the caller's language."""
    return _status_describer(call.app.catalogues, call.language)


@lru_cache(maxsize=64)
def _status_describer(catalogues: Catalogues, language: str) -> DescribeStatus:
    words = catalogues.words(language)

    @lru_cache(maxsize=1024)
    def describe(status_code: str, phase: str) -> str:
        """A status that is not registered is said by its phase."""
        return str(words.get(f"otep.status.{status_code}") or words[f"otep.phase.{phase}"])

    return describe


def viewer_filter(call: Call) -> tuple[str, int] | None:
    """The kind of account and the user that must stand on a subject for the caller to see it; None for the office."""
    if call.principal.account in OFFICE:
        return None
    return call.principal.account.value, call.actor or 0
