"""EPCIS in XML, 1.2 and 2.0, as the JSON document that says the same.

Only what can be told of a subject is carried over. Entities, external references and declared defaults are refused before
they can cost anything; the bare DOCTYPE of some official examples does no harm.
"""

from collections.abc import Callable, Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException, DTDForbidden
from defusedxml.ElementTree import DefusedXMLParser

from haulier.contexts.tracking.inbound.rules.epcis_terms import OURS
from haulier.contexts.tracking.inbound.rules.json_text import PARTS_MAX, TOO_COMPLEX, TOO_DEEP
from haulier.kernel.errors import problem

MALFORMED_XML = problem("document_malformed_xml", 400)
DECLARES = problem("document_declares", 400)

DEPTH_MAX = 64
_BODIES = {"EPCISDocument": ("EPCISBody",), "EPCISQueryDocument": ("EPCISBody", "QueryResults", "resultsBody")}
_WRAPPERS = {"extension", "baseExtension"}
"""Where EPCIS 1.2 keeps what came after 1.0: read as if it stood one level higher."""


class _Parser(DefusedXMLParser):
    def defused_start_doctype_decl(
        self, name: str, sysid: str | None, pubid: str | None, has_internal_subset: bool
    ) -> None:
        """Only a document type that declares nothing and points nowhere is let through."""
        if sysid or pubid or has_internal_subset:
            raise DTDForbidden(name, sysid, pubid)


def read_xml(body: bytes) -> dict[str, Any]:
    """The JSON document that says the same.

    Raises `TOO_COMPLEX` before anything is read, `MALFORMED_XML` with the place, `DECLARES` and `TOO_DEEP`.
    """
    if body.count(b"<") + body.count(b"=") > PARTS_MAX:
        raise TOO_COMPLEX(max=PARTS_MAX)
    parser = _Parser(forbid_dtd=True, forbid_entities=True, forbid_external=True)
    try:
        parser.feed(body)
        root: Element = parser.close()
    except ParseError as fault:
        line, column = fault.position
        raise MALFORMED_XML(line=line, column=column) from None
    except (DefusedXmlException, LookupError, ValueError):  # the last two: an encoding that nobody knows
        raise DECLARES() from None
    return _document(root)


def _document(root: Element) -> dict[str, Any]:
    kind = _local(root)
    part: dict[str, Any] = {}
    document: dict[str, Any] = {"type": kind, "epcisBody": part}
    parent: Element | None = root
    for name in _BODIES.get(kind, ()):
        parent = _child(parent, name)
        if name != "EPCISBody":
            part = part.setdefault(name[0].lower() + name[1:], {})
    events = _child(parent, "EventList")
    if events is not None:
        part["eventList"] = [_event(each) for each in _flat(events, 0)]
    return document


def _event(element: Element) -> dict[str, Any]:
    event: dict[str, Any] = {"type": _local(element)}
    for child in _flat(element, 0):
        name = _name(child)
        if name is not None:
            event[name] = _value(name, child)
    return event


def _flat(element: Element, depth: int) -> Iterator[Element]:
    if depth > DEPTH_MAX:
        raise TOO_DEEP()
    for child in element:
        if _name(child) in _WRAPPERS:
            yield from _flat(child, depth + 1)
        else:
            yield child


def _value(name: str, element: Element) -> Any:
    if name in _READ:
        return _READ[name](element)
    if name.startswith("otep:") and len(element):
        return {_local(child): _number_or_text(child) for child in element}
    return _text(element)


def _name(element: Element) -> str | None:
    """The field's usual name; None for what belongs to somebody else."""
    namespace, _, local = element.tag.rpartition("}")
    if not namespace or namespace.startswith("{urn:epcglobal:epcis"):
        return local
    return f"otep:{local}" if namespace.endswith(OURS) else None


def _local(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _child(element: Element | None, name: str) -> Element | None:
    return next((child for child in element if _local(child) == name), None) if element is not None else None


def _text(element: Element | None) -> str:
    return (element.text or "").strip() if element is not None else ""


def _number_or_text(element: Element) -> Any:
    text = _text(element)
    if _local(element) not in {"lat", "lng"}:
        return text
    try:
        return float(text)
    except ValueError:
        return text


def _texts(element: Element) -> list[str]:
    return [_text(child) for child in element]


def _place(element: Element) -> dict[str, str]:
    return {"id": _text(_child(element, "id"))}


def _quantities(element: Element) -> list[dict[str, str]]:
    found = (_child(child, "epcClass") for child in element)
    return [{"epcClass": _text(each)} for each in found if each is not None]


def _transactions(element: Element) -> list[dict[str, str]]:
    return [{"type": child.get("type", ""), "bizTransaction": _text(child)} for child in element]


def _declaration(element: Element) -> dict[str, Any]:
    corrective = _child(element, "correctiveEventIDs")
    said: dict[str, Any] = {"declarationTime": _text(_child(element, "declarationTime"))}
    if (reason := _child(element, "reason")) is not None:
        said["reason"] = _text(reason)
    return said if corrective is None else {**said, "correctiveEventIDs": _texts(corrective)}


def _present(_: Element) -> list[Any]:
    return [{}]


def _nothing(_: Element) -> dict[str, Any]:
    return {}


_READ: dict[str, Callable[[Element], Any]] = {
    **dict.fromkeys(("epcList", "childEPCs", "inputEPCList", "outputEPCList"), _texts),
    **dict.fromkeys(("quantityList", "childQuantityList", "inputQuantityList", "outputQuantityList"), _quantities),
    **dict.fromkeys(("readPoint", "bizLocation"), _place),
    **dict.fromkeys(("sensorElementList", "sourceList", "destinationList", "persistentDisposition"), _present),
    "certificationInfo": lambda element: _text(element) or _texts(element),
    "bizTransactionList": _transactions,
    "errorDeclaration": _declaration,
    "ilmd": _nothing,
}
