"""Pages of a list: what a list is asked with, what it answers around its records, and cursors for long lists."""

from datetime import datetime
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType
from pydantic import Field

from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError
from haulier.kernel.values.sealing import SealedKind, seal, unseal

MAX_PER_PAGE = 200
MAX_PAGE = 100_000
MAX_COUNT = 10_000
"""Up to so many records a long list is counted exactly."""
# Why: counting a million takes a thousand times longer than reading a page of 25
# (docs/decisions/requests.md).
MAX_CURSOR_LENGTH = 524
_ID_MAX = 2**53 - 1  # Why: every reader of JSON reads whole numbers up to this exactly (RFC 8259, section 6)

Key = TypeVar("Key", bound=tuple[int | str | datetime, ...])


class PageRequest(Request):
    """Which page of a list."""

    page: int = Field(default=1, ge=1, le=MAX_PAGE)
    """The page, from 1."""
    per_page: int = Field(default=50, ge=1, le=MAX_PER_PAGE)
    """Number of records per page."""

    @property
    def offset(self) -> int:
        """How many records stand before this page."""
        return (self.page - 1) * self.per_page


class PagedAnswer(Answer):
    """What every list answers around its records."""

    result: bool = True
    total: Annotated[int, doc("Records in the whole list; of a very long one, how many there are at least.")]
    total_is_floor: Annotated[bool | UnsetType, doc("True where there are more than `total`; else absent.")] = UNSET
    page: Annotated[int, doc("This page, from 1.")]
    per_page: Annotated[int, doc("Records on a page.")]


def total_fields(counted: int) -> dict[str, Any]:
    """The fields of `Paged` that tell how many records there are, when at most one more than `COUNT_MAX` were counted."""
    return {"total": min(counted, MAX_COUNT), "total_is_floor": counted > MAX_COUNT or UNSET}


def make_cursor(*key: int | str | datetime) -> str:
    """Return a sealed cursor that continues a list after the record with this sort key. Its content is no secret."""
    return seal(SealedKind.CURSOR, msgspec.json.encode(key))


def parse_cursor(cursor: str, kind: type[Key]) -> Key:
    """The sort key in a cursor, of a kind such as `tuple[datetime, int]`.

    Raises `INVALID_REQUEST` at `cursor` unless this server issued it and it has the kind of this list, with nothing in it
    that a database would refuse: no time without a zone or at the ends of the calendar, no huge number, no NUL.
    """
    document = unseal(SealedKind.CURSOR, cursor) if len(cursor) <= MAX_CURSOR_LENGTH else None
    try:
        key = msgspec.json.decode(document, type=kind) if document is not None else None
    except (ValueError, msgspec.DecodeError):
        key = None
    if key is None or not all(map(_is_storable_key, key)):
        raise INVALID_REQUEST.for_fields(FieldError("cursor", "field.cursor_invalid"))
    return key


def _is_storable_key(part: int | str | datetime) -> bool:
    if isinstance(part, datetime):
        return part.tzinfo is not None and 1 < part.year < 9999
    return abs(part) <= _ID_MAX if isinstance(part, int) else "\0" not in part
