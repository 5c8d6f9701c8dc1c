"""Pagination of lists: request and answer fields, and cursors for long lists."""

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
"""Lists are counted exactly up to this number of records, because counting a million takes a thousand times longer
than reading a page (docs/decisions/requests.md)."""
MAX_CURSOR_LENGTH = 524
_ID_MAX = 2**53 - 1  # every JSON reader reads integers up to this exactly (RFC 8259, section 6)

Key = TypeVar("Key", bound=tuple[int | str | datetime, ...])


class PageRequest(Request):
    """A page of a list."""

    page: int = Field(default=1, ge=1, le=MAX_PAGE)
    """Page number, starting at 1."""
    per_page: int = Field(default=50, ge=1, le=MAX_PER_PAGE)
    """Number of records per page."""

    @property
    def offset(self) -> int:
        """Number of records before this page."""
        return (self.page - 1) * self.per_page


class PagedAnswer(Answer):
    """The fields of a list's answer beside its records."""

    result: bool = True
    total: Annotated[int, doc("Total number of records. For very long lists, a lower bound.")]
    total_is_floor: Annotated[
        bool | UnsetType, doc("True if there are more than `total` records; otherwise absent.")
    ] = UNSET
    page: Annotated[int, doc("Page number, starting at 1.")]
    per_page: Annotated[int, doc("Number of records per page.")]


def total_fields(counted: int) -> dict[str, Any]:
    """Return the total fields of `PagedAnswer` for a count.

    The count is at most `MAX_COUNT` + 1.
    """
    return {"total": min(counted, MAX_COUNT), "total_is_floor": counted > MAX_COUNT or UNSET}


def make_cursor(*key: int | str | datetime) -> str:
    """Return a sealed cursor that continues a list after this sort key.

    Its content is not secret.
    """
    return seal(SealedKind.CURSOR, msgspec.json.encode(key))


def parse_cursor(cursor: str, kind: type[Key]) -> Key:
    """Return the sort key in a cursor, of a type such as `tuple[datetime, int]`.

    Raises `INVALID_REQUEST` for `cursor` unless this server issued it for this type of key and every database can
    store its values: no times without a zone or at the ends of the calendar, no huge numbers, no NUL.
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
