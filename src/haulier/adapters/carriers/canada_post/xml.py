"""XML of a namespace, written from nested values and read without trust."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from defusedxml.ElementTree import fromstring

Values = Mapping[str, Any]
"""Children by their names: a text, a mapping of further children, or a list of them for a name that repeats. None: left out."""


def write_xml(name: str, namespace: str, values: Values) -> bytes:
    """A document."""
    root = Element(name, xmlns=namespace)
    _fill(root, values)
    return tostring(root, encoding="utf-8", xml_declaration=True)


def _fill(element: Element, values: Values) -> None:
    for name, value in values.items():
        for one in value if isinstance(value, Sequence) and not isinstance(value, str) else (value,):
            if one is None:
                continue
            child = SubElement(element, name)
            if isinstance(one, Mapping):
                _fill(child, one)
            else:
                child.text = str(one)


class XmlNode:
    """An element, read by names without their namespace."""

    def __init__(self, element: Element) -> None:
        self._element = element
        self.name = element.tag.rpartition("}")[2]

    @classmethod
    def parse(cls, document: bytes, *names: str) -> "XmlNode":
        """A document whose root has one of these names. Raises `ValueError` for any other, and for what is no XML."""
        root = cls(fromstring(document))
        if names and root.name not in names:
            raise ValueError(f"{root.name} in place of {names[0]}")
        return root

    def all(self, *path: str) -> Iterator["XmlNode"]:
        """The elements at a path, in their order."""
        if not path:
            yield self
            return
        for child in self._element:
            node = XmlNode(child)
            if node.name == path[0]:
                yield from node.all(*path[1:])

    def first(self, *path: str) -> "XmlNode | None":
        """The first element at a path."""
        return next(self.all(*path), None)

    def text(self, *path: str) -> str:
        """The text at a path; empty when there is none."""
        node = self.first(*path)
        return (node._element.text or "").strip() if node else ""

    def need(self, *path: str) -> str:
        """The text at a path. Raises `ValueError` when there is none."""
        if not (text := self.text(*path)):
            raise ValueError(f"no {'/'.join(path)}")
        return text

    def attribute(self, name: str) -> str:
        """An attribute; empty when there is none."""
        return self._element.get(name, "")
