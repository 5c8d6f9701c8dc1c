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


def test_the_least_recently_requested_response_is_evicted(store: AnswerStore[bytes], dropped: list[object]) -> None:
    keep(store, "a", "b", "c")
    store.touch("a")
    keep(store, "d")
    assert ([store.get(key) is not None for key in "abcd"], dropped) == ([True, False, True, True], ["b"])


def test_a_large_response_evicts_as_many_small_ones_as_needed(store: AnswerStore[bytes], dropped: list[object]) -> None:
    keep(store, "a", "b", "c")
    store.put("large", BODY + BODY, len(BODY) + EACH)
    assert dropped == ["a", "b"]


def test_the_key_counts_towards_the_size(store: AnswerStore[bytes], dropped: list[object]) -> None:
    keep(store, "a", "b")
    store.put("a long question", BODY, len(BODY) + EACH)
    assert dropped == ["a"]


def test_a_replaced_response_counts_once(store: AnswerStore[bytes]) -> None:
    keep(store, "a", *("b" * 20), "c")
    assert [store.get(key) for key in "abc"] == [BODY] * 3


def test_removed_responses_no_longer_count(store: AnswerStore[bytes]) -> None:
    keep(store, "a", "b", "c")
    for key in "abc":
        store.drop(key)
    keep(store, "d", "e", "f")
    assert [store.get(key) for key in "def"] == [BODY] * 3


def test_a_repeated_request_is_recognized_while_the_first_is_remembered(
    store: AnswerStore[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_store, "MAX_SEEN", 2)
    assert [store.was_requested_before(key) for key in ("a", "a", "b", "c", "a")] == [False, True, False, False, False]


def test_long_keys_are_remembered_in_few_bytes(store: AnswerStore[bytes]) -> None:
    tracemalloc.start()
    try:
        for at in range(500):
            store.was_requested_before(f"{at}" + "x" * 10_000)
        assert tracemalloc.get_traced_memory()[0] < 500 * 10_000 / 10
    finally:
        tracemalloc.stop()
