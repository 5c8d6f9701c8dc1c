"""The cache of answers stays within its size limit."""

import tracemalloc

import pytest

from haulier.kernel.http import answer_store
from haulier.kernel.http.answer_store import AnswerStore

BODY = b"x" * 1000
EACH = len(BODY) + answer_store.BESIDE_CONTENT_BYTES


@pytest.fixture
def dropped() -> list[object]:
    return []


@pytest.fixture
def store(dropped: list[object], monkeypatch: pytest.MonkeyPatch) -> AnswerStore[bytes]:
    """Return a store with room for three answers of a thousand bytes."""
    monkeypatch.setattr(answer_store, "MAX_KEPT_BYTES", 3 * EACH)
    return AnswerStore(lambda key, _: dropped.append(key))


def keep(store: AnswerStore[bytes], *keys: str) -> None:
    for key in keys:
        store.put(key, BODY, len(BODY))


def test_the_answer_that_was_asked_for_longest_ago_makes_room(store: AnswerStore[bytes], dropped: list[object]) -> None:
    keep(store, "a", "b", "c")
    store.touch("a")
    keep(store, "d")
    assert ([store.get(key) is not None for key in "abcd"], dropped) == ([True, False, True, True], ["b"])


def test_a_large_answer_makes_as_many_small_ones_go_as_it_needs(
    store: AnswerStore[bytes], dropped: list[object]
) -> None:
    keep(store, "a", "b", "c")
    store.put("large", BODY + BODY, len(BODY) + EACH)
    assert dropped == ["a", "b"]


def test_the_question_counts_as_the_answer_does(store: AnswerStore[bytes], dropped: list[object]) -> None:
    keep(store, "a", "b")
    store.put("a long question", BODY, len(BODY) + EACH)
    assert dropped == ["a"]


def test_an_answer_that_is_kept_anew_counts_once(store: AnswerStore[bytes]) -> None:
    keep(store, "a", *("b" * 20), "c")
    assert [store.get(key) for key in "abc"] == [BODY] * 3


def test_what_was_dropped_counts_no_more(store: AnswerStore[bytes]) -> None:
    keep(store, "a", "b", "c")
    for key in "abc":
        store.drop(key)
    keep(store, "d", "e", "f")
    assert [store.get(key) for key in "def"] == [BODY] * 3


def test_a_question_is_asked_again_while_its_first_time_is_remembered(
    store: AnswerStore[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_store, "MAX_SEEN", 2)
    assert [store.was_requested_before(key) for key in ("a", "a", "b", "c", "a")] == [False, True, False, False, False]


def test_long_questions_are_remembered_in_few_bytes(store: AnswerStore[bytes]) -> None:
    tracemalloc.start()
    try:
        for at in range(500):
            store.was_requested_before(f"{at}" + "x" * 10_000)
        assert tracemalloc.get_traced_memory()[0] < 500 * 10_000 / 10
    finally:
        tracemalloc.stop()
