"""JSON of strangers: read strictly, and at a cost that is known before it is read."""

import json
import re
from typing import Any, NoReturn

from haulier.kernel.operations.errors import declare_error

PARTS_MAX = 250_000
"""Values in one document: 250 for each of the 1,000 events of a call. A million empty objects would be 64 MB."""

CHARACTERS_MAX_BYTES = 20_000_000
"""What the text of a document may take in memory, where one character beyond U+FFFF makes every one four bytes wide."""

DOCUMENT_MALFORMED = declare_error("document_malformed", 400)
NOT_UTF8 = declare_error("document_not_utf8", 400)
TOO_DEEP = declare_error("document_too_deep", 400)
DUPLICATE_KEY = declare_error("document_key_twice", 400)
NUMBER_TOO_LONG = declare_error("document_number_too_long", 400)
TOO_COMPLEX = declare_error("document_too_complex", 413)

_TWO_BYTES_WIDE, _FOUR_BYTES_WIDE = re.compile(rb"[\xc4-\xef]"), re.compile(rb"[\xf0-\xff]")
_NAME_SHOWN_MAX = 60


class _DuplicateKeyError(ValueError):
    """A member of an object that stands there twice: readers differ in which one they believe."""


def read_json(body: bytes) -> Any:
    """The value of a JSON document (RFC 8259).

    Raises `TOO_COMPLEX` before anything is read; `NOT_UTF8`, `DOCUMENT_MALFORMED` with the place, `TOO_DEEP`,
    `DUPLICATE_KEY` and `NUMBER_TOO_LONG`.
    """
    if (
        body.count(b",") + body.count(b"{") + body.count(b"[") > PARTS_MAX
        or _memory_bound_bytes(body) > CHARACTERS_MAX_BYTES
    ):
        raise TOO_COMPLEX(max=PARTS_MAX)
    try:
        return json.loads(body.decode(), object_pairs_hook=_unique_members, parse_constant=_refuse_constant)
    except UnicodeDecodeError as fault:
        raise NOT_UTF8(position=fault.start) from None
    except RecursionError:
        raise TOO_DEEP() from None
    except json.JSONDecodeError as fault:
        raise DOCUMENT_MALFORMED(line=fault.lineno, column=fault.colno) from None
    except _DuplicateKeyError as fault:
        raise DUPLICATE_KEY(name=str(fault)) from None
    except ValueError:  # Python's own limit to the digits of an integer
        raise NUMBER_TOO_LONG() from None


def _memory_bound_bytes(body: bytes) -> int:
    """An upper bound of what the text takes, in bytes."""
    if body.isascii():
        return len(body)
    return len(body) * (4 if _FOUR_BYTES_WIDE.search(body) else 2 if _TWO_BYTES_WIDE.search(body) else 1)


def _unique_members(members: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(members)
    if len(read) != len(members):
        seen: set[str] = set()
        for name, _ in members:
            if name in seen:
                raise _DuplicateKeyError(name[:_NAME_SHOWN_MAX].encode("ascii", "backslashreplace").decode())
            seen.add(name)
    return read


def _refuse_constant(word: str) -> NoReturn:
    """NaN and Infinity are not JSON."""
    raise json.JSONDecodeError(word, word, 0)
