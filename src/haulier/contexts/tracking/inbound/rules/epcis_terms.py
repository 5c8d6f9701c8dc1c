"""The names that a document's JSON-LD context gives to fields: aliases, prefixes, and our own terms under any prefix."""

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

_EPCIS = re.compile(r"(?:epcis:|https?://(?:ref|ns)\.gs1\.org/(?:standards/)?epcis/)([A-Za-z]+)")
_KEYWORDS = {"@type": "type", "@id": "id", "isA": "type"}
OURS = "/otep/terms#"
"""What the addresses of our own terms hold, whichever installation wrote the document."""

CONTEXTS_MAX = 20


class Terms(Struct, frozen=True):
    """What the fields of an event are called when they are not called by their usual names."""

    aliases: Mapping[str, str]
    prefixes: tuple[str, ...]

    def plain(self, event: dict[str, Any]) -> dict[str, Any]:
        """An event under the usual names; our own terms begin with `otep:`. Of two names of a field the first counts."""
        if not self.aliases and self.prefixes == ("otep:",) and not any(map(_odd, event)):
            return event
        found: dict[str, Any] = {}
        for name, value in event.items():
            found.setdefault(self.name(name), value)
        return found

    def name(self, name: str) -> str:
        """The usual name of a field."""
        if name in self.aliases:
            return self.aliases[name]
        if standard := _EPCIS.fullmatch(name):
            return standard[1]
        if OURS in name:
            return "otep:" + name.rpartition(OURS)[2]
        prefix = next((prefix for prefix in self.prefixes if name.startswith(prefix)), None)
        return "otep:" + name[len(prefix) :] if prefix else _KEYWORDS.get(name, name)


def _odd(name: str) -> bool:
    return name in _KEYWORDS or name.startswith(("epcis:", "http"))


def terms_of(context: Any) -> Terms:
    """The terms of an `@context`, whatever stands there. Contexts elsewhere are not fetched."""
    parts = context if isinstance(context, list) else [context]
    pairs = [pair for part in parts[:CONTEXTS_MAX] if isinstance(part, dict) for pair in part.items()]
    aliases: dict[str, str] = {}
    prefixes = ["otep:"]
    for term, meaning in pairs:
        target = meaning.get("@id") if isinstance(meaning, dict) else meaning
        if not isinstance(target, str):
            continue
        if target.endswith(OURS):
            prefixes.append(f"{term}:")
        elif OURS in target and not term.startswith("otep:"):
            aliases[term] = "otep:" + target.rpartition(OURS)[2]
        elif standard := _EPCIS.fullmatch(target):
            aliases[term] = standard[1]
    return Terms(aliases, tuple(dict.fromkeys(prefixes)))
