"""Whom a segment means."""

from datetime import datetime

from msgspec import Struct


class AudienceRules(Struct, frozen=True, kw_only=True):
    """Contacts that match all of these; an empty list asks for nothing."""

    languages: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    tags_all: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    tags_none: tuple[str, ...] = ()
    created_after: datetime | None = None
