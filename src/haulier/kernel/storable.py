"""Text that no database keeps: NUL, which PostgreSQL refuses, and halves of surrogate pairs, which are no characters at all.

It is looked for once, in the request as it came, so that no operation and no field can forget it.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from haulier.kernel.errors import Fault

CODE = "field.text_unstorable"
STAND_IN = "\ufffd"
"""Put in the place of what cannot be kept, so that the rest of the request can still be judged."""
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_SUSPECT = re.compile(rb"\\u(?:0000|[dD][89abAB])")


def cleansed(body: bytes, judged: Collection[str] = ()) -> tuple[bytes, tuple[Fault, ...]]:
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
    faults = _faults({name: each for name, each in document.items() if name not in judged})
    return (json.dumps(clean(document)).encode(), faults) if faults else (body, ())


def cleansed_texts(texts: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[Fault, ...]]:
    """The same for texts of the path, the query and the headers, of which a repeated one is a list."""
    for text in texts.values():
        if any(map(_UNSTORABLE.search, text)) if isinstance(text, list) else _UNSTORABLE.search(text):
            return clean(dict(texts)), _faults(dict(texts))
    return texts, ()


def _faults(document: dict[str, Any]) -> tuple[Fault, ...]:
    return tuple(Fault(".".join(path), CODE) for path in dict.fromkeys(_places(document)))


def _places(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Where a text stands that cannot be kept; the name of a member counts as one."""
    if isinstance(value, str):
        if _UNSTORABLE.search(value):
            yield path
    elif isinstance(value, dict):
        for name, each in value.items():
            if _UNSTORABLE.search(name):
                yield (*path, clean(name))
            yield from _places(each, (*path, clean(name)))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _places(each, (*path, str(number)))


def clean(value: Any) -> Any:
    """The same texts, with a stand-in for each character that cannot be kept."""
    if isinstance(value, str):
        return _UNSTORABLE.sub(STAND_IN, value)
    if isinstance(value, dict):
        return {clean(name): clean(each) for name, each in value.items()}
    if isinstance(value, list):
        return [clean(each) for each in value]
    return value
