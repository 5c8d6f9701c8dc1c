"""Checks of request text.

They cover unstorable characters, line breaks in names and forms of email addresses.

NUL, which PostgreSQL refuses, and lone surrogates are checked once for the whole request, so that no operation has
to. Names and email addresses are checked by the types in `fields.py`.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any

from pydantic_core import PydanticCustomError

from haulier.kernel.operations.errors import FieldError

UNSTORABLE_CODE = "field.text_unstorable"
REPLACEMENT_CHARACTER = "\ufffd"
"""Replaces unstorable characters, so that the rest of the request can still be validated."""
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_BRACKETS = frozenset("<>")
_BREAKS = re.compile("[\x01-\x1f\x7f\x85\u2028\u2029]+")
EMAIL_PATTERN = r"^[^@\s\x00<>]+@[^@\s\x00<>]+$"
"""A plain address, without the display name or angle brackets of a mail header."""
_SUSPECT = re.compile(rb"\\u(?:0000|[dD][89abAB])")


def strip_unstorable(body: bytes, judged: Collection[str] = ()) -> tuple[bytes, tuple[FieldError, ...]]:
    """Replace unstorable text in a JSON body and return an error for each place.

    Ordinary bodies and invalid JSON are returned unchanged. Fields in `judged` are not reported.
    """
    if not _SUSPECT.search(body):
        return body, ()
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return body, ()
    if not isinstance(document, dict):
        return body, ()  # validation reports what was expected
    field_errors = _unstorable_errors({name: member for name, member in document.items() if name not in judged})
    return (json.dumps(replace_unstorable(document)).encode(), field_errors) if field_errors else (body, ())


def strip_unstorable_texts(texts: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[FieldError, ...]]:
    """Replace unstorable text in path, query and header values.

    A repeated value is a list.
    """
    for text in texts.values():
        if any(map(_UNSTORABLE.search, text)) if isinstance(text, list) else _UNSTORABLE.search(text):
            return replace_unstorable(dict(texts)), _unstorable_errors(dict(texts))
    return texts, ()


def _unstorable_errors(document: dict[str, Any]) -> tuple[FieldError, ...]:
    return tuple(FieldError(".".join(path), UNSTORABLE_CODE) for path in dict.fromkeys(_unstorable_paths(document)))


def _unstorable_paths(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths of text that cannot be stored, including member names."""
    if isinstance(value, str):
        if _UNSTORABLE.search(value):
            yield path
    elif isinstance(value, dict):
        for name, member in value.items():
            if _UNSTORABLE.search(name):
                yield (*path, replace_unstorable(name))
            yield from _unstorable_paths(member, (*path, replace_unstorable(name)))
    elif isinstance(value, list):
        for number, member in enumerate(value):
            yield from _unstorable_paths(member, (*path, str(number)))


def join_lines(value: Any) -> Any:
    """Replace line breaks and control characters in a text with spaces.

    Other values are unchanged.
    """
    return _BREAKS.sub(" ", value) if isinstance(value, str) else value


def require_bare_email(value: Any) -> Any:
    """Return the value.

    Raises a validation error for an address with a display name or angle brackets.
    """
    if isinstance(value, str) and not _BRACKETS.isdisjoint(value):
        raise PydanticCustomError("string_pattern_mismatch", "not an e-mail address", {"pattern": EMAIL_PATTERN})
    return value


def replace_unstorable(value: Any) -> Any:
    """Replace each unstorable character in a value."""
    return change_texts(value, partial(_UNSTORABLE.sub, REPLACEMENT_CHARACTER))


def change_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Change every text in a JSON value, including member names."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(name): change_texts(member, change) for name, member in value.items()}
    if isinstance(value, list):
        return [change_texts(item, change) for item in value]
    return value
