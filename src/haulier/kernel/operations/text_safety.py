"""Checks of request text: characters that no database can store, line breaks in names, forms of e-mail addresses.

NUL, which PostgreSQL refuses, and halves of surrogate pairs are found once, in the request as it came, so that no operation and
no field can forget them. Names and e-mail addresses are checked by the types of `fields.py`.
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
"""Replaces what cannot be stored, so that the rest of the request can still be validated."""
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_BRACKETS = frozenset("<>")
_BREAKS = re.compile("[\x01-\x1f\x7f\x85\u2028\u2029]+")
EMAIL_PATTERN = r"^[^@\s\x00<>]+@[^@\s\x00<>]+$"
"""An address alone: `Ada <ada@example.com>` and `<ada@example.com>` are forms of a mail header."""
_SUSPECT = re.compile(rb"\\u(?:0000|[dD][89abAB])")


def strip_unstorable(body: bytes, judged: Collection[str] = ()) -> tuple[bytes, tuple[FieldError, ...]]:
    """A JSON body without text that cannot be kept, and a fault for each place where such a text stood.

    An ordinary body is looked over once and comes back as it is; so does one that is no JSON, for others to say so. What
    stands in a field that is `judged` is left alone.
    """
    if not _SUSPECT.search(body):
        return body, ()
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return body, ()
    if not isinstance(document, dict):
        return body, ()  # validation says what was expected instead
    field_errors = _unstorable_errors({name: member for name, member in document.items() if name not in judged})
    return (json.dumps(replace_unstorable(document)).encode(), field_errors) if field_errors else (body, ())


def strip_unstorable_texts(texts: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[FieldError, ...]]:
    """The same for texts of the path, the query and the headers, of which a repeated one is a list."""
    for text in texts.values():
        if any(map(_UNSTORABLE.search, text)) if isinstance(text, list) else _UNSTORABLE.search(text):
            return replace_unstorable(dict(texts)), _unstorable_errors(dict(texts))
    return texts, ()


def _unstorable_errors(document: dict[str, Any]) -> tuple[FieldError, ...]:
    return tuple(FieldError(".".join(path), UNSTORABLE_CODE) for path in dict.fromkeys(_unstorable_paths(document)))


def _unstorable_paths(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of texts that cannot be stored; the name of a member counts as one."""
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
    """Return a text on one line: each run of line breaks and control characters becomes a space. Other values are unchanged."""
    return _BREAKS.sub(" ", value) if isinstance(value, str) else value


def require_bare_email(value: Any) -> Any:
    """Return the value, unless it is an address with a display name or in angle brackets. Raises a validation error then."""
    if isinstance(value, str) and not _BRACKETS.isdisjoint(value):
        raise PydanticCustomError("string_pattern_mismatch", "not an e-mail address", {"pattern": EMAIL_PATTERN})
    return value


def replace_unstorable(value: Any) -> Any:
    """The same texts, with a replacement for each character that cannot be stored."""
    return change_texts(value, partial(_UNSTORABLE.sub, REPLACEMENT_CHARACTER))


def change_texts(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with every text changed, however deep; the name of a member counts as one."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(name): change_texts(member, change) for name, member in value.items()}
    if isinstance(value, list):
        return [change_texts(item, change) for item in value]
    return value
