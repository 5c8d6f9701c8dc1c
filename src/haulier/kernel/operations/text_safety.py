"""Text that no database can store: NUL, which PostgreSQL refuses, and halves of surrogate pairs, which are no characters.

It is looked for once, in the request as it came, so that no operation and no field can forget it.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Any

from haulier.kernel.operations.errors import FieldError

UNSTORABLE_CODE = "field.text_unstorable"
REPLACEMENT_CHARACTER = "\ufffd"
"""Replaces what cannot be stored, so that the rest of the request can still be validated."""
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
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
