"""Pages are bounded, and only valid cursors are accepted."""

from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from haulier.kernel.operations.errors import OperationError
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH, PageRequest, make_cursor, parse_cursor
from haulier.kernel.values.sealing import SealedKind, seal

IDS = st.integers(1, 2**53 - 1)
TIMES = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001
WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)


def written(document: str) -> str:
    return seal(SealedKind.CURSOR, document.encode())


def test_a_page_has_fifty_records_by_default() -> None:
    assert (PageRequest().page, PageRequest().per_page, PageRequest().offset) == (1, 50, 0)


@given(st.integers(1, 100_000), st.integers(1, 200))
def test_pages_follow_each_other_without_gap_or_overlap(page: int, per_page: int) -> None:
    this = PageRequest(page=page, per_page=per_page)
    assert this.offset == (page - 1) * per_page
    if page < 100_000:
        assert PageRequest(page=page + 1, per_page=per_page).offset == this.offset + per_page


@pytest.mark.parametrize("fault", [{"page": 0}, {"page": 100_001}, {"per_page": 0}, {"per_page": 201}, {"offset": 5}])
def test_a_page_size_out_of_bounds_is_refused(fault: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        PageRequest(**fault)


@given(TIMES, IDS)
def test_a_cursor_restores_its_key(at: datetime, id: int) -> None:
    assert parse_cursor(make_cursor(at, id), tuple[datetime, int]) == (at, id)


@given(WORDS, IDS)
def test_a_key_can_contain_any_storable_text(text: str, id: int) -> None:
    assert parse_cursor(make_cursor(text, id), tuple[str, int]) == (text, id)


@given(st.text(max_size=80))
def test_any_other_cursor_is_refused_by_field(text: str) -> None:
    with pytest.raises(OperationError) as refused:
        parse_cursor(text, tuple[datetime, int])
    assert [(fault.field, fault.code) for fault in refused.value.field_errors] == [("cursor", "field.cursor_invalid")]


MIDNIGHT = datetime(2026, 5, 4, tzinfo=UTC)
FOREIGN = {
    "of another list": make_cursor("name", 1),
    "with a part too many": make_cursor(MIDNIGHT, 1, 2),
    "with a part too few": make_cursor(MIDNIGHT),
    "with true for one": written('["2026-05-04T00:00:00Z",true]'),
    "with a number no database holds": written('["2026-05-04T00:00:00Z",9007199254740993]'),
    "with a fraction": written('["2026-05-04T00:00:00Z",1.5]'),
    "with a time of nowhere": written('["2026-05-04T00:00:00",1]'),
    "before the calendar": make_cursor(datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))), 1),
    "after the calendar": make_cursor(datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-12))), 1),
    "no list": written('{"at":1}'),
    "no JSON": written("[1,"),
    "no text": seal(SealedKind.CURSOR, b"\xff\xfe"),
    "without a seal": urlsafe_b64encode(b'["2026-05-04T00:00:00Z",1]').decode().rstrip("="),
    "sealed as another kind": seal(SealedKind.QUOTE, b'["2026-05-04T00:00:00Z",1]'),
    "of the other base 64": make_cursor(MIDNIGHT, 1) + "+/",
    "with a line break": make_cursor(MIDNIGHT, 1) + "\n",
}


@pytest.mark.parametrize("cursor", FOREIGN.values(), ids=FOREIGN.keys())
def test_a_non_canonical_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(OperationError):
        parse_cursor(cursor, tuple[datetime, int])


@pytest.mark.parametrize("document", [r'["a\u0000b"]', r'["\ud800"]'])
def test_unstorable_text_in_a_cursor_is_refused(document: str) -> None:
    with pytest.raises(OperationError):
        parse_cursor(written(document), tuple[str])


def test_a_cursor_is_accepted_up_to_its_maximum_length() -> None:
    fits = make_cursor("x" * (MAX_CURSOR_LENGTH * 3 // 4 - 21))
    assert len(fits) == MAX_CURSOR_LENGTH
    assert parse_cursor(fits, tuple[str])
    with pytest.raises(OperationError):
        parse_cursor(make_cursor("x" * MAX_CURSOR_LENGTH), tuple[str])
