"""Content negotiation: which form of an answer an Accept header asks for (RFC 9110, 12.5.1, and RFC 6906 profiles)."""

from collections.abc import Iterator
from email.message import Message
from functools import lru_cache

from msgspec import Struct

from haulier.kernel.operations.declaration import Representation, Representations
from haulier.kernel.operations.errors import NOT_ACCEPTABLE

JSON_TYPE = "application/json"
MAX_ACCEPT_RANGES = 50
"""At most this many ranges of an Accept header are looked at."""


class AcceptRange(Struct, frozen=True):
    """One part of an Accept header: a media type or a wildcard, perhaps of a profile, and how much it is wanted."""

    kind: str
    subtype: str
    profiles: frozenset[str]
    quality: float

    def specificity(self, media_type: str, profiles: tuple[str, ...]) -> int:
        """How closely it names an offer: 0 not at all, 1 `*/*`, 2 `type/*`, 3 the media type, 4 its profile too."""
        kind, _, subtype = media_type.partition("/")
        if self.profiles:
            return 4 if self._names(kind, subtype) and self.profiles & set(profiles) else 0
        if (self.kind, self.subtype) == ("*", "*"):
            return 1
        if self.kind == kind and self.subtype == "*":
            return 2
        return 3 if (self.kind, self.subtype) == (kind, subtype) else 0

    def _names(self, kind: str, subtype: str) -> bool:
        return self.kind in {"*", kind} and self.subtype in {"*", subtype}


def choose_representation(representations: Representations, accept: str | None) -> Representation | None:
    """The offer that is wanted most, of equals the first; None for the whole answer as plain JSON.

    Raises `NOT_ACCEPTABLE` with the list of media types when nothing that we have is acceptable.
    """
    if accept is None or accept.strip() in {"", "*/*", JSON_TYPE}:
        return None
    ranges = _parse_accept(accept)
    best, most = None, _quality(ranges, JSON_TYPE, ())
    for offer in representations.options:
        quality = _quality(ranges, offer.media_type, offer.profiles)
        if quality > most:
            best, most = offer, quality
    if most == 0:
        raise NOT_ACCEPTABLE(available=", ".join(_available_types(representations)))
    return best


def content_type_of(offer: Representation) -> str:
    """The Content-Type of an offer, with its profile where it has one."""
    return f'{offer.media_type}; profile="{offer.profiles[0]}"' if offer.profiles else offer.media_type


def _available_types(representations: Representations) -> Iterator[str]:
    yield JSON_TYPE
    yield from map(content_type_of, representations.options)


def _quality(ranges: tuple[AcceptRange, ...], media_type: str, profiles: tuple[str, ...]) -> float:
    """How much a form is wanted: as the range says that names it most closely."""
    named = [(accept_range.specificity(media_type, profiles), accept_range.quality) for accept_range in ranges]
    closest = max((specificity for specificity, _ in named), default=0)
    return max(quality for specificity, quality in named if specificity == closest) if closest else 0.0


@lru_cache(maxsize=1024)
def _parse_accept(accept: str) -> tuple[AcceptRange, ...]:
    return tuple(filter(None, map(_parse_accept_range, _split_outside_quotes(accept)[:MAX_ACCEPT_RANGES])))


def _split_outside_quotes(accept: str) -> list[str]:
    """The parts between commas that do not stand in quotes."""
    parts, quoted = [""], False
    for character in accept[:4000]:
        quoted ^= character == '"'
        if character == "," and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _parse_accept_range(text: str) -> AcceptRange | None:
    message = Message()
    message["Content-Type"] = text.strip()
    kind, _, subtype = text.partition(";")[0].strip().lower().partition("/")
    if not (kind and subtype):
        return None
    profile = message.get_param("profile")
    profiles = frozenset(profile.split()) if isinstance(profile, str) else frozenset[str]()
    return AcceptRange(kind, subtype, profiles, _parse_quality(message.get_param("q")))


def _parse_quality(text: object) -> float:
    try:
        return min(max(float(str(text)), 0.0), 1.0) if text is not None else 1.0
    except ValueError:
        return 0.0
