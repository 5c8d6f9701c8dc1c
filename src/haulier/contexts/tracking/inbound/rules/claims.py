"""In whose name a provider may speak, and what the same event is called from one push to the next."""

from haulier.contexts.tracking.inbound.rules.told import Reason
from haulier.contexts.tracking.otep.model import Source
from haulier.kernel.principal import Mandate

OUTSIDE = ("carrier", "partner", "third_party")
"""The kinds of source that a provider can be. Own delivery and the system itself are told by the client alone."""


def speaker(mandate: Mandate, name: str) -> Source:
    """The source of events that name none: the carrier a key is for when it is for one, else the key's own name."""
    return Source(type=mandate.source_type, name=next(iter(mandate.carriers)) if len(mandate.carriers) == 1 else name)


def refusal(source: Source, mandate: Mandate, name: str, path: str) -> Reason | None:
    """Why a provider may not speak as a source, or None when it may."""
    if source.type not in OUTSIDE:
        return Reason(f"{path}.source.type", "ingest.source_type", {"type": source.type, "allowed": ", ".join(OUTSIDE)})
    if source.name and mandate.carriers and source.name not in mandate.carriers and source.name != name:
        allowed = ", ".join(sorted(mandate.carriers))
        return Reason(f"{path}.source.name", "ingest.source_name", {"name": source.name, "allowed": allowed})
    return None
