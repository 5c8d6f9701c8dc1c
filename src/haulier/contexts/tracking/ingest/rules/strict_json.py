"""JSON from outside: read strictly, and refused before reading where it would cost too much."""

import json
import re
from typing import Any, NoReturn

from haulier.kernel.operations.errors import declare_error

PARTS_MAX = 250_000
"""Most values in one document."""
# Why: 250 for each of the 1,000 events of a call; a million empty objects would take 64 MB.

CHARACTERS_MAX_BYTES = 20_000_000
"""What the text of a document may take in memory."""
# Why: Python stores a text with one character beyond U+FFFF at four bytes a character.

DOCUMENT_MALFORMED = declare_error("document_malformed", 400)
NOT_UTF8 = declare_error("document_not_utf8", 400)
TOO_DEEP = declare_error("document_too_deep", 400)
DUPLICATE_KEY = declare_error("document_key_twice", 400)
NUMBER_TOO_LONG = declare_error("document_number_too_long", 400)
TOO_COMPLEX = declare_error("document_too_complex", 413)

_TWO_BYTES_WIDE, _FOUR_BYTES_WIDE = re.compile(rb"[\xc4-\xef]"), re.compile(rb"[\xf0-\xff]")
_NAME_SHOWN_MAX = 60


class _DuplicateKeyError(ValueError):
    """An object has two members of one name; JSON parsers differ in which one they take."""


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
    except UnicodeDecodeError as error:
        raise NOT_UTF8(position=error.start) from None
    except RecursionError:
        raise TOO_DEEP() from None
    except json.JSONDecodeError as error:
        raise DOCUMENT_MALFORMED(line=error.lineno, column=error.colno) from None
    except _DuplicateKeyError as error:
        raise DUPLICATE_KEY(name=str(error)) from None
    except ValueError:  # Python's own limit to the digits of an integer
        raise NUMBER_TOO_LONG() from None


def _memory_bound_bytes(body: bytes) -> int:
    """An upper bound of what the text takes, in bytes."""
    if body.isascii():
        return len(body)
    return len(body) * (4 if _FOUR_BYTES_WIDE.search(body) else 2 if _TWO_BYTES_WIDE.search(body) else 1)


def _unique_members(members: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(members)
    if len(value) != len(members):
        names: set[str] = set()
        for name, _ in members:
            if name in names:
                raise _DuplicateKeyError(name[:_NAME_SHOWN_MAX].encode("ascii", "backslashreplace").decode())
            names.add(name)
    return value


def _refuse_constant(constant: str) -> NoReturn:
    """NaN and Infinity are not JSON."""
    raise json.JSONDecodeError(constant, constant, 0)
