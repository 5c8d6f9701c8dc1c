"""What only some calls need is had when it is first used: modules of other packages, and tables in files."""

# Why: `haulier serve` answers after a third of the processor time that it took with all of them
# (docs/decisions/modules.md).

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LateModule:
    """Stands for a module. To the type checker say the import itself:

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
    """A mapping whose content is made when something of it is first looked at."""

    def __init__(self, make: Callable[[], Mapping[K, V]]) -> None:
        self._content = cache(make)

    def __getitem__(self, key: K) -> V:
        return self._content()[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._content())

    def __len__(self) -> int:
        return len(self._content())
