"""The sources as which a provider may push events."""

from haulier.contexts.otep.public import Source
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
