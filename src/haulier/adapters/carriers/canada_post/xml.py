"""XML documents in one namespace: a writer for nested values and a safe reader."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from defusedxml.ElementTree import fromstring

Values = Mapping[str, Any]
"""Child elements by name.

A value is a string, a mapping of children, or a list of either for a repeated element. None is omitted.
"""


def write_xml(name: str, namespace: str, values: Values) -> bytes:
    """Return an XML document."""
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
    """Element whose children are found by local name, without the namespace."""

    def __init__(self, element: Element) -> None:
        self._element = element
        self.name = element.tag.rpartition("}")[2]

    @classmethod
    def parse(cls, document: bytes, *names: str) -> "XmlNode":
        """Parse a document whose root has one of these names.

        Raises `ValueError` for any other root, and for invalid XML.
        """
        root = cls(fromstring(document))
        if names and root.name not in names:
            raise ValueError(f"{root.name} in place of {names[0]}")
        return root

    def all(self, *path: str) -> Iterator["XmlNode"]:
        """Yield the elements at a path, in order."""
        if not path:
            yield self
            return
        for child in self._element:
            node = XmlNode(child)
            if node.name == path[0]:
                yield from node.all(*path[1:])

    def first(self, *path: str) -> "XmlNode | None":
        """Return the first element at a path, or None."""
        return next(self.all(*path), None)

    def text(self, *path: str) -> str:
        """Return the text at a path, or an empty string."""
        node = self.first(*path)
        return (node._element.text or "").strip() if node else ""

    def need(self, *path: str) -> str:
        """Return the text at a path. Raises `ValueError` if there is none."""
        if not (text := self.text(*path)):
            raise ValueError(f"no {'/'.join(path)}")
        return text

    def attribute(self, name: str) -> str:
        """Return an attribute, or an empty string."""
        return self._element.get(name, "")
