"""Languages: which one a caller wants, and what a message says in it.

Message ids are error codes; the catalogues are gettext files below `haulier/locales/<language>/`, one per context.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any

from babel.messages.pofile import read_po

SUPPORTED = ("en", "zh-Hans", "zh-Hant", "fr", "de", "es")
DEFAULT = "en"
LOCALES = Path(__file__).resolve().parents[1] / "locales"
_TRADITIONAL = {"tw", "hk", "mo"}
_EXACT = {tag.lower(): tag for tag in SUPPORTED}


@lru_cache(maxsize=4096)
def negotiate(accept_language: str | None) -> str:
    """The supported language that an Accept-Language header asks for; English when it asks for none of ours."""
    ranges = _ranges(accept_language or "")
    refused = {match for tag, q in ranges if q == 0 and (match := _match(tag))}
    for tag, q in sorted(ranges, key=lambda each: -each[1]):
        if q == 0:
            break
        match = DEFAULT if tag == "*" else _match(tag)
        if match and match not in refused:
            return match
    return DEFAULT


def _ranges(header: str) -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    for part in header[:1000].split(","):
        tag, *params = (piece.strip().lower() for piece in part.split(";"))
        weight = 1.0
        for param in params:
            if param.startswith("q="):
                try:
                    weight = float(param[2:])
                except ValueError:
                    weight = 0.0
        if tag and 0 <= weight <= 1:
            found.append((tag, weight))
    return found


def _match(tag: str) -> str | None:
    language, *subtags = tag.replace("_", "-").split("-")
    if language == "zh":
        if "hant" in subtags or ("hans" not in subtags and _TRADITIONAL & set(subtags)):
            return "zh-Hant"
        return "zh-Hans"
    return _EXACT.get(language)


class Catalogues:
    """Every message in every language, read from the catalogues the first time a language is spoken."""

    def __init__(self, folder: Path = LOCALES) -> None:
        self._folder = folder
        self._spoken: dict[str, dict[str, str]] = {}

    def say(self, language: str, message_id: str, /, **params: Any) -> str:
        """A message with its parameters filled in; in English where a translation is missing, else its id."""
        words = self.words(language).get(message_id) or self.words(DEFAULT).get(message_id)
        if words is None:
            return message_id
        return words.format_map(_Gentle(params)) if "{" in words else words

    def words(self, language: str) -> dict[str, str]:
        """All messages of one language by id."""
        spoken = self._spoken.get(language)
        if spoken is None:
            spoken = self._spoken[language] = self._read(language)
        return spoken

    def _read(self, language: str) -> dict[str, str]:
        words: dict[str, str] = {}
        for file in sorted((self._folder / language.replace("-", "_")).glob("*.po")):
            with file.open("rb") as opened:
                for message in read_po(opened):
                    if message.id and isinstance(message.id, str) and isinstance(message.string, str):
                        words[message.id] = message.string
        return words


class _Gentle(dict[str, Any]):
    """A parameter that nobody gave shows its name instead of breaking the message."""

    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"
