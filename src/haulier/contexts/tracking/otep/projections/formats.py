"""What a projection declares about itself; content negotiation, documents and the command line derive from it."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from haulier.contexts.tracking.otep.model import Timeline

Document = dict[str, Any]
"""A document of texts, numbers, lists and maps only, ready for any JSON writer. Read it, do not change it: parts that
never differ are shared between documents."""

Project = Callable[[Timeline, str], Document]
"""A pure function of a timeline and the public address of the service (without `/api`)."""


class Format(Struct, frozen=True, kw_only=True):
    """One way to show a timeline. `source` says who published the vocabulary and shape it is shown in."""

    name: str
    title: str
    source: str
    media_type: str
    profiles: tuple[str, ...]
    project: Project
