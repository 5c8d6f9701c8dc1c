"""Removal of invisible characters.

These are zero-width and direction controls, tags and spare variation selectors.

They can hide instructions in a note from its human reader and show them to an agent. They are removed on input and
again before agents read. Those that scripts need are kept: joiners for emoji, Persian and Indian scripts, and the two
emoji selectors.
"""

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from haulier.kernel.operations.text_safety import change_texts

HIDDEN_CHARACTERS = (
    r"\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
"""Ranges of a regular expression."""
_HIDDEN = re.compile(f"[{HIDDEN_CHARACTERS}]")
_HIDDEN_BYTES = re.compile(
    rb"\xc2\xad|\xd8\x9c|\xe1\xa0\x8e|\xe2\x80[\x8b\x8e\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf|\xef\xbf[\xb9-\xbb]"
    rb"|\xf3\xa0[\x80\x81][\x80-\xbf]|\xf3\xa0[\x84-\x86][\x80-\xbf]|\xf3\xa0\x87[\x80-\xaf]"
)
"""The same characters in UTF-8."""
_ESCAPED = re.compile(rb"\\u(?:00ad|061c|180e|20[0-6][0-9a-f]|feff|fff[9-b]|db40)", re.IGNORECASE)
"""JSON escapes of these characters."""


def remove_hidden_from_json(body: bytes, kept: Collection[str] = ()) -> bytes:
    """Return a JSON body without hidden characters, except in the fields `kept`.

    Others are returned unchanged.
    """
    hidden = not body.isascii() and _HIDDEN_BYTES.search(body)
    if not (hidden or _ESCAPED.search(body)):
        return body
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return body  # validation reports the error
    if not isinstance(document, dict):
        return body
    cleaned = {name: part if name in kept else remove_hidden(part) for name, part in document.items()}
    return json.dumps(cleaned, ensure_ascii=True).encode()


def remove_hidden_from_utf8(text: bytes) -> bytes:
    """Return encoded text without hidden characters."""
    return text if text.isascii() else _HIDDEN_BYTES.sub(b"", text)


def remove_hidden_from_texts(texts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return path, query and header values without hidden characters."""
    return texts if all(str(text).isascii() for text in texts.values()) else remove_hidden(dict(texts))


def remove_hidden(value: Any) -> Any:
    """Return a value without hidden characters, at any depth."""
    return change_texts(value, _without_hidden)


def _without_hidden(text: str) -> str:
    return text if text.isascii() else _HIDDEN.sub("", text)
