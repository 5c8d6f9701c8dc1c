"""Suggestions for unknown operation names."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

from haulier.kernel.operations.declaration import Mcp, Operation
from haulier.kernel.operations.errors import UNKNOWN_OPERATION, OperationError
from haulier.kernel.operations.registry import Registry

MAX_NEAR_NAMES = 5
_LIKENESS = 0.7
_NAME_BONUS = 1 / 3
"""A word of the name counts more than one of the summary."""
_STOP_WORDS = frozenset(
    ("all", "and", "any", "for", "from", "into", "its", "new", "one", "the", "this", "with", "your")
)
_LONGEST_COMPARED = 60
"""Longer names are not typos, and comparing them is slow."""


def find_operation(registry: Registry, name: str) -> Operation[Any, Any]:
    """Return the operation or tool with a name.

    Raises `UNKNOWN_OPERATION` with suggestions.
    """
    operations = {operation.name: operation for operation in registry}
    operations |= {tool.name: operation for tool, operation in registry.bindings(Mcp)}
    if name not in operations:
        raise unknown_operation(name, operations.items())
    return operations[name]


def unknown_operation(name: str, named: Iterable[tuple[str, Operation[Any, Any]]]) -> OperationError:
    """Return the error for an unknown name, with suggestions."""
    return UNKNOWN_OPERATION(name=name[:100], near=", ".join(near_names(name, named)) or "–")


def near_names(wanted: str, named: Iterable[tuple[str, Operation[Any, Any]]], limit: int = MAX_NEAR_NAMES) -> list[str]:
    """Return the most similar names, best first.

    Similarity counts shared words, spelling and description.
    """
    wanted = wanted[:_LONGEST_COMPARED].lower()
    words = _words(wanted)
    scores = {name: _nearness(wanted, words, name, operation) for name, operation in named}
    best = sorted((name for name in scores if scores[name] > 0), key=lambda name: (-scores[name], name))
    return best[:limit]


def _nearness(wanted: str, words: frozenset[str], name: str, operation: Operation[Any, Any]) -> float:
    named, summed_up = _words(name), _words(operation.summary.lower())
    covered = len(words & (named | summed_up))
    spoken = len(words & _words(operation.description.lower())) / (1 + len(words))
    likeness = SequenceMatcher(None, wanted, name).ratio()
    if not covered and not spoken and likeness < _LIKENESS:
        return 0
    return covered + len(words & named) * _NAME_BONUS + spoken + likeness


@lru_cache(maxsize=2048)
def _words(text: str) -> frozenset[str]:
    """Return the words of a text in the singular, without stop words."""
    return frozenset(word.removesuffix("s") for word in re.findall(r"[a-z]{3,}", text) if word not in _STOP_WORDS)
