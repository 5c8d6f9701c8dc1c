"""Lazy imports of modules and lazy mappings, for what only some calls need.

They reduce the processor time until `haulier serve` answers to a third (docs/decisions/modules.md).
"""

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LateModule:
    """Placeholder for a module. Give the type checker the import itself:

    if TYPE_CHECKING:
        import numpy as np
    else:
        np = LateModule("numpy")
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(importlib.import_module(self._name), attribute)
        setattr(self, attribute, value)
        return value


class LateMapping(Mapping[K, V]):
    """A mapping whose content is created on first access."""

    def __init__(self, make: Callable[[], Mapping[K, V]]) -> None:
        self._content = cache(make)

    def __getitem__(self, key: K) -> V:
        return self._content()[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._content())

    def __len__(self) -> int:
        return len(self._content())
