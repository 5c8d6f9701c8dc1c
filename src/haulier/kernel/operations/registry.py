"""The registry of operations by name, and the discovery of declarations."""

import importlib
import pkgutil
from collections.abc import Collection, Iterable, Iterator
from types import ModuleType
from typing import Any, TypeVar

from msgspec import Struct

from haulier.kernel.operations.declaration import IncompleteDeclaration, Interface, Mcp, Operation, Rest

D = TypeVar("D", bound=Interface)
T = TypeVar("T")


class NounWords(Struct, frozen=True, forbid_unknown_fields=True):
    """Facts about nouns that paths do not express."""

    made_by: dict[str, list[str]] = {}
    """Writes that create a noun at a separate path, by noun."""
    named_by: dict[str, str] = {}
    """The id field of a noun that no path names."""
    means: dict[str, str] = {}
    """Aliases of id fields."""


class Registry:
    """Operations by name. Repeated names and bindings are refused."""

    def __init__(self, operations: Iterable[Operation[Any, Any]], noun_words: NounWords | None = None) -> None:
        self.noun_words = noun_words or NounWords()
        self.whole = self
        """The registry that this one is a part of. Ids may refer to nouns outside the part."""
        self._operations: dict[str, Operation[Any, Any]] = {}
        places: dict[object, str] = {}
        for operation in operations:
            if operation.name in self._operations:
                raise IncompleteDeclaration(f"two operations are called {operation.name!r}")
            self._operations[operation.name] = operation
            for interface in operation.interfaces:
                place = _binding_key(interface)
                if holder := places.get(place):
                    raise IncompleteDeclaration(f"{operation.name!r} and {holder!r} both answer at {place}")
                places[place] = operation.name

    def __iter__(self) -> Iterator[Operation[Any, Any]]:
        return iter(self._operations.values())

    def __len__(self) -> int:
        return len(self._operations)

    def __getitem__(self, name: str) -> Operation[Any, Any]:
        return self._operations[name]

    def get(self, name: str) -> Operation[Any, Any] | None:
        """Return the operation with a name, or None."""
        return self._operations.get(name)

    def part(self, operations: Iterable[Operation[Any, Any]]) -> "Registry":
        """Return a registry of some of these operations."""
        part = Registry(operations)
        part.whole = self.whole
        return part

    def bindings(self, interface: type[D]) -> Iterator[tuple[D, Operation[Any, Any]]]:
        """Yield every binding of one kind of interface with its operation."""
        for operation in self:
            for binding in operation.interfaces:
                if isinstance(binding, interface):
                    yield binding, operation


def _binding_key(interface: Interface) -> tuple[str, str]:
    if isinstance(interface, Rest):
        path = "/".join("{}" if part.startswith("{") else part for part in interface.path.split("/"))
        return interface.method, path
    if isinstance(interface, Mcp):
        return "tool " + "/".join(sorted(interface.servers)), interface.name
    return "field", interface.name


def import_submodules(package: ModuleType, excluded: Collection[str] = ()) -> Iterator[ModuleType]:
    """Import and yield the modules of a package by name, except excluded ones."""
    for found in sorted(pkgutil.iter_modules(package.__path__, f"{package.__name__}."), key=lambda each: each.name):
        if found.name in excluded:
            continue
        module = importlib.import_module(found.name)
        yield module
        if found.ispkg:
            yield from import_submodules(module, excluded)


class Declarations:
    """Top-level objects of some kinds that modules declare, each once."""

    def __init__(self, modules: Iterable[ModuleType], kinds: tuple[type, ...]) -> None:
        found: dict[int, object] = {}
        for module in modules:
            for value in vars(module).values():
                if isinstance(value, kinds) and _declaring_module(value) == module.__name__:
                    found[id(value)] = value
        self._found = list(found.values())

    def of(self, kind: type[T]) -> list[T]:
        """Return the objects of one kind."""
        return [value for value in self._found if isinstance(value, kind)]


def _declaring_module(value: object) -> str | None:
    handler = getattr(value, "handler", None)
    return getattr(handler, "__module__", None)
