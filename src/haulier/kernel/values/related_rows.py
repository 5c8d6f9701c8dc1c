"""Batches of independent rows."""

from collections import defaultdict
from collections.abc import Collection, Sequence


def batch_related_rows(keys: Sequence[Collection[str]], size: int) -> list[list[int]]:
    """Return batches of row indexes that keep rows with a shared key together.

    Rows keep their order within a batch. A batch has at most `size` rows, unless more than that are related.
    """
    batches: list[list[int]] = [[]]
    for related in _group_by_keys(keys):
        if len(batches[-1]) + len(related) > size:
            batches.append([])
        batches[-1] += related
    return [sorted(batch) for batch in batches if batch]


def _group_by_keys(keys: Sequence[Collection[str]]) -> list[list[int]]:
    """Return groups of rows connected by shared keys (union-find)."""
    parents = list(range(len(keys)))

    def find_root(row: int) -> int:
        while parents[row] != row:
            parents[row] = parents[parents[row]]
            row = parents[row]
        return row

    first_with: dict[str, int] = {}
    for row, own in enumerate(keys):
        for key in own:
            parents[find_root(row)] = find_root(first_with.setdefault(key, row))
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for row in range(len(keys)):
        groups[find_root(row)].append(row)
    return list(groups.values())
