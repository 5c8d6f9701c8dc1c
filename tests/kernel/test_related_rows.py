"""Batches of independent rows."""

from haulier.kernel.values.related_rows import batch_related_rows


def test_rows_with_a_common_key_are_in_one_batch_in_order() -> None:
    keys = [{"a"}, {"b"}, {"c"}, {"d", "b"}, set[str](), {"e"}, {"d"}]
    batches = batch_related_rows(keys, 3)
    assert [1, 3, 6] in batches
    assert sorted(row for batch in batches for row in batch) == list(range(len(keys)))
    assert max(map(len, batches)) == 3


def test_related_rows_stay_together_beyond_the_batch_size() -> None:
    assert batch_related_rows([{"a"}, {"b"}, {"a"}, {"a"}], 2) == [[0, 2, 3], [1]]
