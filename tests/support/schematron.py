"""Validation of XML documents by Schematron and XSLT 2.0, with Saxon.

A Schematron schema is translated into a stylesheet with one mode per pattern, so that each node meets the first rule
of a pattern that matches it.
"""

from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

SCH = "{http://purl.oclc.org/dsdl/schematron}"
XSL = "http://www.w3.org/1999/XSL/Transform"
SVRL = "{http://purl.oclc.org/dsdl/svrl}"


@cache
def _saxon() -> Any:
    saxonche = pytest.importorskip("saxonche", reason="saxonche is not installed")
    return saxonche.PySaxonProcessor(license=False)


@cache
def _stylesheet(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".sch":
        text = translate_schematron(text)
    return _saxon().new_xslt30_processor().compile_stylesheet(stylesheet_text=text)


def broken_rules(path: Path, document: bytes) -> list[str]:
    """Return the ids of the fatal rules that a document breaks."""
    node = _saxon().parse_xml(xml_text=document.decode())
    report = ElementTree.fromstring(_stylesheet(path).transform_to_string(xdm_node=node))
    failed = report.iter(f"{SVRL}failed-assert")
    return sorted(
        f"{each.get('id')} {each.findtext(f'{SVRL}text', '')}" for each in failed if each.get("flag") == "fatal"
    )


def translate_schematron(text: str) -> str:
    """Return a Schematron schema as an XSLT 2.0 stylesheet that reports in SVRL."""
    schema = ElementTree.fromstring(text)
    names = {each.get("prefix"): each.get("uri") for each in schema.iter(f"{SCH}ns")}
    attributes = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in names.items())
    parts = [ElementTree.tostring(each, encoding="unicode") for each in schema.iter(f"{{{XSL}}}function")]
    parts += [_variable(each) for each in schema.findall(f"{SCH}let")]
    patterns = schema.findall(f"{SCH}pattern")
    calls = "".join(f'<xsl:apply-templates select="/" mode="p{number}"/>' for number in range(len(patterns)))
    parts.append(f'<xsl:template match="/"><svrl:out xmlns:svrl="{SVRL[1:-1]}">{calls}</svrl:out></xsl:template>')
    for number, pattern in enumerate(patterns):
        parts += _pattern(number, pattern)
    body = "".join(parts)
    return f'<xsl:stylesheet xmlns:xsl="{XSL}" {attributes} version="2.0">{body}</xsl:stylesheet>'


def _escaped(text: str | None) -> str:
    return (text or "").replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def _variable(let: ElementTree.Element) -> str:
    return f'<xsl:variable name="{let.get("name")}" select="{_escaped(let.get("value"))}"/>'


def _pattern(number: int, pattern: ElementTree.Element) -> list[str]:
    deeper = f'<xsl:apply-templates select="@*|node()" mode="p{number}"/>'
    parts = [_variable(each) for each in pattern.findall(f"{SCH}let")]
    rules = pattern.findall(f"{SCH}rule")
    for place, rule in enumerate(rules):
        inner = "".join(_variable(each) for each in rule.findall(f"{SCH}let"))
        inner += "".join(_assertion(each) for each in rule.findall(f"{SCH}assert"))
        match = f'match="{_escaped(rule.get("context"))}" mode="p{number}" priority="{len(rules) - place}"'
        parts.append(f"<xsl:template {match}>{inner}{deeper}</xsl:template>")
    parts.append(f'<xsl:template match="@*|node()|/" mode="p{number}" priority="0">{deeper}</xsl:template>')
    return parts


def _assertion(each: ElementTree.Element) -> str:
    about = f'id="{each.get("id")}" flag="{each.get("flag")}"'
    text = _escaped("".join(each.itertext()).strip())
    return (
        f'<xsl:if test="not({_escaped(each.get("test"))})"><svrl:failed-assert xmlns:svrl="{SVRL[1:-1]}" {about}>'
        f"<svrl:text>{text}</svrl:text></svrl:failed-assert></xsl:if>"
    )
