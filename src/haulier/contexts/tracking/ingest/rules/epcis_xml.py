"""EPCIS in XML, 1.2 and 2.0, as the equal JSON document.

Only what says something about a subject is carried over. Entities, external references and declared defaults are refused
before anything is read; the bare DOCTYPE of some official examples is allowed.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element, ParseError, XMLParser
from xml.parsers import expat

from haulier.contexts.tracking.ingest.rules.epcis_events import OWN_TERM
from haulier.contexts.tracking.ingest.rules.parsed import PARTS_MAX, TOO_COMPLEX, TOO_DEEP
from haulier.kernel.operations.errors import declare_error

MALFORMED_XML = declare_error("document_malformed_xml", 400)
XML_DECLARATION_REFUSED = declare_error("document_declares", 400)

DEPTH_MAX = 64
_BODIES = {"EPCISDocument": ("EPCISBody",), "EPCISQueryDocument": ("EPCISBody", "QueryResults", "resultsBody")}
_WRAPPERS = {"extension", "baseExtension"}
"""Where EPCIS 1.2 keeps the fields added after 1.0; they are read as if they stood one level higher."""


class _PrologEnd(Exception):
    """The root element begins: declarations end here."""


def read_xml(body: bytes) -> dict[str, Any]:
    """Return the equal JSON document.

    Raises `TOO_COMPLEX` before anything is read, `MALFORMED_XML` with the place, `XML_DECLARATION_REFUSED` and
    `TOO_DEEP`.
    """
    if body.count(b"<") + body.count(b"=") > PARTS_MAX:
        raise TOO_COMPLEX(max=PARTS_MAX)
    parser = XMLParser()
    try:
        _reject_declarations(body)
        parser.feed(body)
        root: Element = parser.close()
    except expat.ExpatError as error:
        raise MALFORMED_XML(line=error.lineno, column=error.offset) from None
    except ParseError as error:
        line, column = error.position
        raise MALFORMED_XML(line=line, column=column) from None
    except (LookupError, ValueError):  # an unknown encoding
        raise XML_DECLARATION_REFUSED() from None
    return _document(root)


def _reject_declarations(body: bytes) -> None:
    """Raise `XML_DECLARATION_REFUSED` for document types with declarations.

    References are rejected as well. Without them there are only the five entities of XML, and no external requests.
    """
    # In a separate parser: declaration handlers would be called for every element, too.
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = _reject_document_type
    parser.StartElementHandler = _end_prolog
    with suppress(_PrologEnd):
        parser.Parse(body, True)


def _reject_document_type(_name: str, system_id: str | None, public_id: str | None, has_declarations: int) -> None:
    if system_id or public_id or has_declarations:
        raise XML_DECLARATION_REFUSED()


def _end_prolog(*_: object) -> None:
    raise _PrologEnd


def _document(root: Element) -> dict[str, Any]:
    document_type = _local_name(root)
    body: dict[str, Any] = {}
    document: dict[str, Any] = {"type": document_type, "epcisBody": body}
    parent: Element | None = root
    for name in _BODIES.get(document_type, ()):
        parent = _first_child(parent, name)
        if name != "EPCISBody":
            body = body.setdefault(name[0].lower() + name[1:], {})
    events = _first_child(parent, "EventList")
    if events is not None:
        body["eventList"] = [_event_document(event) for _, event in _flattened_children(events, 0)]
    return document


def _event_document(element: Element) -> dict[str, Any]:
    event: dict[str, Any] = {"type": _local_name(element)}
    for name, child in _flattened_children(element, 0):
        if name is not None:
            event[name] = _field_value(name, child)
    return event


def _flattened_children(element: Element, depth: int) -> Iterator[tuple[str | None, Element]]:
    """Yield each child with its normalised field name; None for a foreign namespace."""
    if depth > DEPTH_MAX:
        raise TOO_DEEP()
    for child in element:
        name = _field_name(child.tag)
        if name in _WRAPPERS:
            yield from _flattened_children(child, depth + 1)
        else:
            yield name, child


def _field_value(name: str, element: Element) -> Any:
    if name in _FIELD_READERS:
        return _FIELD_READERS[name](element)
    if name.startswith("otep:") and len(element):
        return {_local_name(child): _number_or_text(child) for child in element}
    return _element_text(element)


@lru_cache(maxsize=512)
def _field_name(tag: str) -> str | None:
    namespace, _, local = tag.rpartition("}")
    if not namespace or namespace.startswith("{urn:epcglobal:epcis"):
        return local
    own = OWN_TERM.fullmatch(namespace.removeprefix("{"))
    return f"otep:{local}" if own and not own[1] else None


def _local_name(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _first_child(element: Element | None, name: str) -> Element | None:
    return next((child for child in element if _local_name(child) == name), None) if element is not None else None


def _element_text(element: Element | None) -> str:
    return (element.text or "").strip() if element is not None else ""


def _number_or_text(element: Element) -> Any:
    text = _element_text(element)
    if _local_name(element) not in {"lat", "lng"}:
        return text
    try:
        return float(text)
    except ValueError:
        return text


def _child_texts(element: Element) -> list[str]:
    return [_element_text(child) for child in element]


def _place(element: Element) -> dict[str, str]:
    return {"id": _element_text(_first_child(element, "id"))}


def _quantities(element: Element) -> list[dict[str, str]]:
    classes = (_first_child(child, "epcClass") for child in element)
    return [{"epcClass": _element_text(epc_class)} for epc_class in classes if epc_class is not None]


def _typed_entries(element: Element) -> list[dict[str, str]]:
    """Entries such as `<source type="…">…</source>`, as in JSON."""
    return [{_local_name(child): _element_text(child), **_type_of(child)} for child in element]


def _type_of(element: Element) -> dict[str, str]:
    return {"type": element.attrib["type"]} if "type" in element.attrib else {}


def _persistent_disposition(element: Element) -> dict[str, list[str]]:
    words: dict[str, list[str]] = {}
    for child in element:
        words.setdefault(_local_name(child), []).append(_element_text(child))
    return words


def _declaration(element: Element) -> dict[str, Any]:
    corrective = _first_child(element, "correctiveEventIDs")
    declaration: dict[str, Any] = {"declarationTime": _element_text(_first_child(element, "declarationTime"))}
    if (reason := _first_child(element, "reason")) is not None:
        declaration["reason"] = _element_text(reason)
    if corrective is not None:
        declaration["correctiveEventIDs"] = _child_texts(corrective)
    return declaration


def _presence_only(_: Element) -> list[Any]:
    return [{}]


def _no_content(_: Element) -> dict[str, Any]:
    return {}


_FIELD_READERS: dict[str, Callable[[Element], Any]] = {
    **dict.fromkeys(("epcList", "childEPCs", "inputEPCList", "outputEPCList"), _child_texts),
    **dict.fromkeys(("quantityList", "childQuantityList", "inputQuantityList", "outputQuantityList"), _quantities),
    **dict.fromkeys(("readPoint", "bizLocation"), _place),
    **dict.fromkeys(("bizTransactionList", "sourceList", "destinationList"), _typed_entries),
    "sensorElementList": _presence_only,
    "persistentDisposition": _persistent_disposition,
    "certificationInfo": lambda element: _element_text(element) or _child_texts(element),
    "errorDeclaration": _declaration,
    "ilmd": _no_content,
}
