"""Decisions about timelines: when two events are the same, and who may see all of a timeline."""

import hashlib
from datetime import UTC, datetime

from haulier.contexts.otep.public import Source
from haulier.kernel.operations.enums import OFFICE, Account
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.principal import Principal

TRACKING_NUMBER_TAKEN = declare_error("tracking_number_taken", 409)


def make_event_id(tracking_number: str, source: Source, status_code: str, occurred_at: datetime) -> str:
    """The id of an event, made from its content: the same event pushed twice gets the same id.

    A source's own reference identifies an event; without one, the instant and the code do. Free text never takes part,
    because carriers reword their places from one push to the next.
    """
    identity = source.reference or f"{status_code}@{occurred_at.astimezone(UTC).isoformat(timespec='milliseconds')}"
    text = "\x1f".join((tracking_number, source.type, source.name or "", identity))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def may_see_full_timeline(caller: Principal, owner_client_id: int, viewers: dict[Account, int | None]) -> bool:
    """Whether a caller may see more of a timeline than the public does.

    The office sees all of its client's; a customer, contractor or driver what is theirs; nobody another client's.
    """
    if caller.client_id != owner_client_id:
        return False
    if caller.account in OFFICE:
        return True
    return caller.user_id is not None and viewers.get(caller.account) == caller.user_id
