"""Content negotiation with the Accept header.

Follows RFC 9110, section 12.5.1, and supports RFC 6906 profiles.
"""

from collections.abc import Iterator
from email.message import Message
from functools import lru_cache

from msgspec import Struct

from haulier.kernel.operations.declaration import Representation, Representations
from haulier.kernel.operations.errors import NOT_ACCEPTABLE

JSON_TYPE = "application/json"
MAX_ACCEPT_RANGES = 50
"""Maximum number of ranges read from an Accept header."""


class AcceptRange(Struct, frozen=True):
    """A media range of an Accept header, with its profiles and quality."""

    kind: str
    subtype: str
    profiles: frozenset[str]
    quality: float

    def specificity(self, media_type: str, profiles: tuple[str, ...]) -> int:
        """Return the precision of the match with an offer.

        0 is no match, 1 `*/*`, 2 `type/*`, 3 the media type, 4 the media type with its profile.
        """
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
    """Return the preferred offer; None selects the full answer as plain JSON.

    The first of several equal offers wins. Raises `NOT_ACCEPTABLE` with the available media types if none is
    acceptable.
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
    """Return the Content-Type of an offer, including its profile."""
    return f'{offer.media_type}; profile="{offer.profiles[0]}"' if offer.profiles else offer.media_type


def _available_types(representations: Representations) -> Iterator[str]:
    yield JSON_TYPE
    yield from map(content_type_of, representations.options)


def _quality(ranges: tuple[AcceptRange, ...], media_type: str, profiles: tuple[str, ...]) -> float:
    """Return the quality of a form, taken from the most specific matching range."""
    named = [(accept_range.specificity(media_type, profiles), accept_range.quality) for accept_range in ranges]
    closest = max((specificity for specificity, _ in named), default=0)
    return max(quality for specificity, quality in named if specificity == closest) if closest else 0.0


@lru_cache(maxsize=1024)
def _parse_accept(accept: str) -> tuple[AcceptRange, ...]:
    return tuple(filter(None, map(_parse_accept_range, _split_outside_quotes(accept)[:MAX_ACCEPT_RANGES])))


def _split_outside_quotes(accept: str) -> list[str]:
    """Split at commas outside quotes."""
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
