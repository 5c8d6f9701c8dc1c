"""XML of the simulated Canada Post: strict requests and nested answers."""

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from defusedxml.ElementTree import fromstring

Values = Mapping[str, Any]
"""Children by name. None is omitted; `links` are elements with attributes."""


class Attributes(dict[str, str]):
    """An element with attributes only."""


class Doc:
    """A request whose elements are read by local name."""

    def __init__(self, element: Element) -> None:
        self._element = element

    @classmethod
    def parse(cls, document: bytes, name: str) -> "Doc":
        """Parse a document. Raises `ValueError` for another root element."""
        element = fromstring(document)
        if element.tag.rpartition("}")[2] != name or "}" not in element.tag:
            raise ValueError(f"{element.tag} in place of {name} in its namespace")
        return cls(element)

    def texts(self, *path: str) -> list[str]:
        """Return all texts at a path."""
        found = [self._element]
        for name in path:
            found = [child for element in found for child in element if child.tag.rpartition("}")[2] == name]
        return [(element.text or "").strip() for element in found]

    def text(self, *path: str) -> str:
        """Return the first text at a path, or an empty one."""
        return next(iter(self.texts(*path)), "")

    def need(self, *path: str) -> str:
        """Return the first text at a path. Raises `ValueError` if it is missing."""
        if not (text := self.text(*path)):
            raise ValueError(f"{'/'.join(path)} is missing")
        return text

    def child(self, name: str) -> "Doc":
        """Return the first child with a name. Raises `ValueError` if it is missing."""
        for child in self._element:
            if child.tag.rpartition("}")[2] == name:
                return Doc(child)
        raise ValueError(f"{name} is missing")


def fill(element: Element, values: Values) -> None:
    """Add children to an element."""
    for name, value in values.items():
        if name == "links":
            holder = SubElement(element, "links")
            for link in value:
                SubElement(holder, "link", dict(link))
            continue
        for one in value if isinstance(value, list) else [value]:
            if one is None:
                continue
            if isinstance(one, Attributes):
                SubElement(element, name, one)
                continue
            child = SubElement(element, name)
            if isinstance(one, Mapping):
                fill(child, one)
            else:
                child.text = str(one)
