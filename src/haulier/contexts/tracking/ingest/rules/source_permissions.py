"""The sources as which a provider may push events, and the parcels of which it may."""

from collections.abc import Collection
from datetime import datetime

from haulier.contexts.otep.public import (
    CLOCK_AHEAD_MINUTES,
    TERMINAL_CODES,
    Phase,
    Source,
    TrackingEvent,
    is_ahead,
)
from haulier.contexts.tracking.ingest.rules.parsed import RefusalReason
from haulier.kernel.principal import ProviderGrant

PROVIDER_SOURCE_TYPES = ("carrier", "partner", "third_party")
"""The kinds of source that a provider can be. Events of own delivery and of the system come from the client alone."""


def default_source(provider_grant: ProviderGrant, name: str) -> Source:
    """The source of events that name none: the carrier a key is for when it is for one, else the key's own name."""
    return Source(
        type=provider_grant.source_type,
        name=next(iter(provider_grant.carriers)) if len(provider_grant.carriers) == 1 else name,
    )


def source_refusal(source: Source, provider_grant: ProviderGrant, name: str, path: str) -> RefusalReason | None:
    """Why a provider may not push events as a source, or None when it may."""
    if source.type not in PROVIDER_SOURCE_TYPES:
        return RefusalReason(
            f"{path}.source.type",
            "ingest.source_type",
            {"type": source.type, "allowed": ", ".join(PROVIDER_SOURCE_TYPES)},
        )
    if source.name and provider_grant.carriers and source.name not in provider_grant.carriers and source.name != name:
        allowed = ", ".join(sorted(provider_grant.carriers))
        return RefusalReason(f"{path}.source.name", "ingest.source_name", {"name": source.name, "allowed": allowed})
    return None


def speaks_for(source: Source, provider_grant: ProviderGrant, name: str) -> Collection[str]:
    """The names under which a provider carries parcels: its own, and those of its key, else that of an event's source."""
    return {name, *(provider_grant.carriers or [source.name or name])}


def may_write(speakers: Collection[str], carriers: frozenset[str]) -> bool:
    """Whether a provider that speaks for some names may write about a parcel that was entrusted to some carriers."""
    return not carriers or not carriers.isdisjoint(speakers)


def is_end_of_own_delivery(event: TrackingEvent, order_id: int | None, carriers: frozenset[str]) -> bool:
    """Whether an event ends the journey of an order that the business delivers itself: it was entrusted to no carrier."""
    return ends_journey(event) and order_id is not None and not carriers


def ends_journey(event: TrackingEvent) -> bool:
    """Whether an event tells that a journey is over: it is terminal, or the parcel is delivered by the words of its profile."""
    return event.status_code in TERMINAL_CODES or event.phase == Phase.DELIVERED


def time_refusal(event: TrackingEvent, now: datetime, path: str) -> RefusalReason | None:
    """Why an event is refused whose time lies too far ahead."""
    if not is_ahead(event.occurred_at, now):
        return None
    return RefusalReason(path, "otep.validate.time_ahead", {"max": CLOCK_AHEAD_MINUTES}, "otep.hint.clock")
