"""Language negotiation and message catalogues.

Message ids are error codes. The catalogues are gettext files below `haulier/locales/<language>/`, one per context.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from gettext import c2py
from pathlib import Path
from typing import Any, NamedTuple

from babel.messages.pofile import read_po

SUPPORTED_LANGUAGES = ("en", "zh-Hans", "zh-Hant", "fr", "de", "es")
"""BCP 47 tags. The folders of catalogues have an underscore instead of the hyphen."""

DEFAULT_LANGUAGE = "en"
LOCALES = Path(__file__).resolve().parents[2] / "locales"
_HEADER_MAX = 1000
_RANGE = re.compile(r"(\*|[a-z]{1,8}(?:[-_][a-z0-9]{1,8})*)(?:\s*;\s*q\s*=\s*(0(?:\.[0-9]*)?|\.[0-9]+|1(?:\.0*)?))?")
_TRADITIONAL = {"tw", "hk", "mo"}
_EXACT = {tag.lower(): tag for tag in SUPPORTED_LANGUAGES}
_CODES = {"status": "status", "state": "status", "step": "step", "act": "step", "report": "step"}
"""Parameters that are codes, with the kind of their translations: `value.status.new_order`."""
_PLACEHOLDER = re.compile(r"{(\w+)}")


def phrase(message_id: str, /, **params: Any) -> dict[str, Any]:
    """Return a message parameter that is itself a message, translated along with it.

    It can be stored.
    """
    return {"phrase": message_id, **params}


def negotiate_language(accept_language: str | None) -> str:
    """Return the supported language that an Accept-Language header prefers.

    Falls back to English.

    For Chinese, an explicit script takes precedence (zh-Hant-CN is zh-Hant); otherwise the region decides. Malformed
    parts are ignored. As in RFC 4647, a range with q=0 excludes the languages it is a prefix of: `zh;q=0` excludes
    both scripts, `zh-TW;q=0` neither.
    """
    # Truncate before caching, so that huge headers cannot fill the cache.
    return _negotiate_header(accept_language[:_HEADER_MAX].lower()) if accept_language else DEFAULT_LANGUAGE


@lru_cache(maxsize=4096)
def _negotiate_header(header: str) -> str:
    weights = _language_weights(header)
    for tag in sorted((tag for tag, weight in weights.items() if weight > 0), key=weights.__getitem__, reverse=True):
        languages = SUPPORTED_LANGUAGES if tag == "*" else filter(None, [_match_language(tag)])
        for language in languages:
            if not _is_excluded(language.lower(), weights):
                return language
    return DEFAULT_LANGUAGE


def _language_weights(header: str) -> dict[str, float]:
    ranges = (_RANGE.fullmatch(part.strip()) for part in header.split(","))
    return {match[1].replace("_", "-"): float(match[2] or 1) for match in ranges if match}


def _is_excluded(language: str, weights: dict[str, float]) -> bool:
    """Return True if the most specific range for a language has weight zero."""
    return weights.get(language, weights.get(language.partition("-")[0], 1.0)) == 0


def _match_language(tag: str) -> str | None:
    language, *subtags = tag.split("-")
    if language == "zh":
        if "hant" in subtags or ("hans" not in subtags and _TRADITIONAL & set(subtags)):
            return "zh-Hant"
        return "zh-Hans"
    return _EXACT.get(language)


class PluralMessage(NamedTuple):
    """A message with plural forms.

    The parameter `n`, or the first one in the message, selects the form.
    """

    plural_index: Callable[[int], int]
    by: str
    forms: tuple[str, ...]

    def words(self, params: dict[str, Any]) -> str:
        """Return the form for the number in the parameters, or the last, most general one."""
        number = params.get("n", params.get(self.by))
        return self.forms[self.plural_index(abs(number))] if isinstance(number, int) else self.forms[-1]


class Catalogues:
    """All messages in all languages, read on first use."""

    def __init__(self, folder: Path = LOCALES) -> None:
        self._folder = folder

    def translate(self, language: str, message_id: str, /, **params: Any) -> str:
        """Return a message with its parameters.

        Falls back to English, then to the message id.

        A missing parameter shows its name.
        """
        message = self.words(language).get(message_id) or self.words(DEFAULT_LANGUAGE).get(message_id)
        if message is None:
            return message_id
        if isinstance(message, PluralMessage):
            message = message.words(params)
        if "{" not in message:
            return message
        params = {name: self._in_words(language, name, value) for name, value in params.items()}
        try:
            return message.format_map(params)
        except KeyError:
            return message.format_map(_ShowMissingParams(params))

    def _in_words(self, language: str, name: str, value: Any) -> Any:
        """Translate a parameter that is a code, such as a status, or a phrase."""
        if name in _CODES and isinstance(value, str):
            code = f"value.{_CODES[name]}.{value.lower()}"
            return self.words(language).get(code, value)
        if isinstance(value, dict) and "phrase" in value:
            inner: dict[str, Any] = {name: each for name, each in value.items() if name != "phrase"}
            return self.translate(language, value["phrase"], **inner)
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return ", ".join(str(self._in_words(language, "", each)) for each in value)
        return value

    def words(self, language: str) -> dict[str, str | PluralMessage]:
        """Return all messages of a language by id; English for an unsupported language."""
        return _read_catalogues(self._folder, language if language in SUPPORTED_LANGUAGES else DEFAULT_LANGUAGE)


@lru_cache(maxsize=64)
def _read_catalogues(folder: Path, language: str) -> dict[str, str | PluralMessage]:
    messages: dict[str, str | PluralMessage] = {}
    for file in sorted((folder / language.replace("-", "_")).glob("*.po")):
        with file.open("rb") as opened:
            catalogue = read_po(opened)
        plural_index = c2py(catalogue.plural_expr)
        for message in catalogue:
            if message.id and message.string:
                messages[_message_id(message.id)] = _message_forms(message.string, plural_index)
    return messages


def _message_id(id: str | list[str] | tuple[str, ...]) -> str:
    return id if isinstance(id, str) else id[0]


def _message_forms(text: str | list[str] | tuple[str, ...], plural_index: Callable[[int], int]) -> str | PluralMessage:
    if isinstance(text, str):
        return text
    placeholder = _PLACEHOLDER.search(text[-1])
    return PluralMessage(plural_index, placeholder[1] if placeholder else "n", tuple(text))


class _ShowMissingParams(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return f"{{{key}}}"
