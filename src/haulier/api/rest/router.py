"""Routing of REST requests through a tree of path segments.

Literal segments take precedence over named ones.
"""

import re
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote

from msgspec.structs import replace

from haulier.kernel.operations.declaration import Operation, Rest
from haulier.kernel.operations.name_hints import shown_names
from haulier.kernel.operations.registry import Registry

METHODS_WITHOUT_BODY = frozenset({"GET", "HEAD", "DELETE"})
"""Methods whose body is ignored."""


class AddressFields(NamedTuple):
    """Request fields in an address: those of the path in order, and of the query."""

    path: tuple[str, ...]
    query: frozenset[str]
    lists: frozenset[str]
    """Query fields that can be repeated or have comma-separated values."""


Binding = tuple[Rest, Operation[Any, Any], AddressFields]


class RouteNode:
    """A node of the tree, with its child segments and bindings."""

    __slots__ = ("bindings", "literal", "named")

    def __init__(self) -> None:
        self.literal: dict[str, RouteNode] = {}
        self.named: RouteNode | None = None
        self.bindings: dict[str, Binding] = {}


class RestRouter:
    """Finds the binding of a request, independent of the number of operations."""

    def __init__(self, registry: Registry) -> None:
        self._root = RouteNode()
        for rest, operation in registry.bindings(Rest):
            self._add(rest, operation)
            if rest.event_stream:
                self._add(replace(rest, method="GET", path=rest.event_stream.path, representations=None), operation)

    def _add(self, rest: Rest, operation: Operation[Any, Any]) -> None:
        node, names = self._root, list[str]()
        for segment in rest.path.strip("/").split("/"):
            if segment.startswith("{"):
                names.append(segment[1:-1])
                node.named = node = node.named or RouteNode()
            else:
                node = node.literal.setdefault(segment, RouteNode())
        node.bindings[rest.method] = (rest, operation, _address_fields(rest, operation, tuple(names)))

    def find(self, path: str) -> tuple[dict[str, Binding], list[str]]:
        """Return the bindings at a path by method, and the values of named segments.

        Both are empty if there is no match.
        """
        values: list[str] = []
        node = self._descend(self._root, path.strip("/").split("/"), 0, values)
        return (node.bindings, values) if node else ({}, [])

    def _descend(self, node: RouteNode, segments: list[str], index: int, values: list[str]) -> RouteNode | None:
        while index < len(segments):
            segment = segments[index]
            index += 1
            literal, named = node.literal.get(segment), node.named
            if literal is not None:
                if named is not None:  # for backtracking
                    value_count = len(values)
                    if match := self._descend(literal, segments, index, values):
                        return match
                    del values[value_count:]
                else:
                    node = literal
                    continue
            if named is None or not segment:
                return None
            values.append(unquote(segment) if "%" in segment else segment)
            node = named
        return node if node.bindings else None


def _address_fields(rest: Rest, operation: Operation[Any, Any], path: tuple[str, ...]) -> AddressFields:
    fields = operation.request.model_fields
    others = shown_names(operation.request) - set(path) - rest.headers.keys()
    query = others if rest.method in METHODS_WITHOUT_BODY else frozenset(rest.query)
    lists = (name for name in query if re.search(r"(list|tuple)\[", str(fields[name].annotation)))
    return AddressFields(path, query, frozenset(lists))


router_of = lru_cache(maxsize=8)(RestRouter)
"""The router of a registry; cached."""
