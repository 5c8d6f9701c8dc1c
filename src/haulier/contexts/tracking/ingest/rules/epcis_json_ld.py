"""The names that a document's JSON-LD context gives to fields: aliases, prefixes, and our own terms under any prefix."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

_EPCIS_TERM = re.compile(r"(?:epcis:|https?://(?:ref|ns)\.gs1\.org/(?:standards/)?epcis/)([A-Za-z]+)")
_KEYWORDS = {"@type": "type", "@id": "id", "isA": "type"}
OWN_TERM = re.compile(r"(?:.*/otep/terms#|urn:otep:terms:)(.*)", re.DOTALL)
"""A term of ours in full: a URN, or the address of some service, as documents had it before."""
CONTEXTS_MAX = 20
"""Parts of an `@context` that are read."""


class JsonLdTerms(Struct, frozen=True):
    """The usual names of the fields that a document calls otherwise."""

    aliases: Mapping[str, str]
    prefixes: tuple[str, ...]

    def plain(self, event: dict[str, Any]) -> dict[str, Any]:
        """An event under the usual names; our own terms begin with `otep:`. Of two names of a field the first counts."""
        if not self.aliases and self.prefixes == ("otep:",) and _has_usual_names(tuple(event)):
            return event
        plain: dict[str, Any] = {}
        for name, value in event.items():
            plain.setdefault(self.name(name), value)
        return plain

    def name(self, name: str) -> str:
        """The usual name of a field."""
        if name in self.aliases:
            return self.aliases[name]
        if standard := _EPCIS_TERM.fullmatch(name):
            return standard[1]
        if own := OWN_TERM.fullmatch(name):
            return "otep:" + own[1]
        prefix = next((prefix for prefix in self.prefixes if name.startswith(prefix)), None)
        return "otep:" + name[len(prefix) :] if prefix else _KEYWORDS.get(name, name)


@lru_cache(maxsize=256)
def _has_usual_names(names: tuple[str, ...]) -> bool:
    return not any(map(_is_unusual_name, names))


def _is_unusual_name(name: str) -> bool:
    return name in _KEYWORDS or name.startswith(("epcis:", "http", "urn:otep:"))


def read_terms(context: Any) -> JsonLdTerms:
    """The terms of an `@context` of any form. Contexts elsewhere are not fetched."""
    parts = context if isinstance(context, list) else [context]
    pairs = [pair for part in parts[:CONTEXTS_MAX] if isinstance(part, dict) for pair in part.items()]
    aliases: dict[str, str] = {}
    prefixes = ["otep:"]
    for term, meaning in pairs:
        target = meaning.get("@id") if isinstance(meaning, dict) else meaning
        if not isinstance(target, str):
            continue
        own = OWN_TERM.fullmatch(target)
        if own and not own[1]:
            prefixes.append(f"{term}:")
        elif own and not term.startswith("otep:"):
            aliases[term] = "otep:" + own[1]
        elif standard := _EPCIS_TERM.fullmatch(target):
            aliases[term] = standard[1]
    return JsonLdTerms(aliases, tuple(dict.fromkeys(prefixes)))
