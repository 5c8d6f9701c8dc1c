"""XML of the simulated Canada Post: what is asked, read strictly, and answers from nested values."""

from collections.abc import Mapping
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from defusedxml.ElementTree import fromstring

Values = Mapping[str, Any]
"""Children by their names; None is left out, `links` are elements of attributes."""


class Attributes(dict[str, str]):
    """An element that has attributes and nothing else."""


class Doc:
    """A request, read by names without their namespace."""

    def __init__(self, element: Element) -> None:
        self._element = element

    @classmethod
    def parse(cls, document: bytes, name: str) -> "Doc":
        """Raises `ValueError` for another root."""
        element = fromstring(document)
        if element.tag.rpartition("}")[2] != name or "}" not in element.tag:
            raise ValueError(f"{element.tag} in place of {name} in its namespace")
        return cls(element)

    def texts(self, *path: str) -> list[str]:
        """All texts at a path."""
        found = [self._element]
        for name in path:
            found = [child for element in found for child in element if child.tag.rpartition("}")[2] == name]
        return [(element.text or "").strip() for element in found]

    def text(self, *path: str) -> str:
        """The first text at a path, or none."""
        return next(iter(self.texts(*path)), "")

    def need(self, *path: str) -> str:
        """The first text at a path. Raises `ValueError` where there is none."""
        if not (text := self.text(*path)):
            raise ValueError(f"{'/'.join(path)} is missing")
        return text

    def child(self, name: str) -> "Doc":
        """The first child of a name. Raises `ValueError` where there is none."""
        for child in self._element:
            if child.tag.rpartition("}")[2] == name:
                return Doc(child)
        raise ValueError(f"{name} is missing")


def fill(element: Element, values: Values) -> None:
    """Put children into an element."""
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
