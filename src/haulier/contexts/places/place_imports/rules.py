"""Documents of places as rows: GeoJSON, CSV, XLSX and KML.

Rows are validated later, one by one.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree.ElementTree import Element, ParseError

import msgspec
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser
from msgspec import Struct

from haulier.kernel.file_reading import ReadingLimits, UnreadableFile, reading_job
from haulier.kernel.operations.errors import declare_error
from haulier.kernel.operations.text_safety import replace_unstorable
from haulier.kernel.values.table_files import FormatQuestion, NamedRows, TableFormat, read_table
from haulier.kernel.values.text_encodings import ENCODING_FAULTS, TextHints
from haulier.kernel.values.xlsx import XLSX_TYPE

IMPORT_UNREADABLE = declare_error("import_unreadable", 400)
IMPORT_TOO_LONG = declare_error("import_too_long", 400)
PLACE_IMPORT_IS_OVER = declare_error("place_import_is_over", 409)
MAX_ROWS = 20_000
"""Rows of one document; more come in several."""
BODY_LIMIT_BYTES = 20_000_000
GEOJSON, JSON, CSV = "application/geo+json", "application/json", "text/csv"
KML = "application/vnd.google-earth.kml+xml"
TABLES: dict[str, TableFormat] = {CSV: "csv", XLSX_TYPE: "xlsx"}
ImportRow = dict[str, Any]
"""`name`, `reference`, `geometry` and the other properties, as the document has them.

A property of a feature that is called geometry, as exports of points of interest have one, becomes `ground`.
"""
_POLYGON_HOLES = 1_000


class PlaceFileQuestion(Struct, frozen=True):
    """The media type of a document, and how to decode a CSV."""

    content_type: str
    text: TextHints = TextHints()


@reading_job(question=PlaceFileQuestion, answer=NamedRows)
def read_rows(document: bytes, question: PlaceFileQuestion, limits: ReadingLimits) -> NamedRows:
    """Return the rows of a document, and the encoding of a CSV.

    Raises `UnreadableFile` for a damaged or empty document.
    """
    encoding = None
    try:
        if question.content_type in TABLES:
            table = FormatQuestion(TABLES[question.content_type], question.text)
            rows, encoding = _table_rows(document, table, limits)
        elif question.content_type == KML:
            rows = list(_kml_rows(document))
        else:
            rows = _geojson_rows(document)
    except UnreadableFile as fault:
        if fault.code in ENCODING_FAULTS:
            raise
        raise UnreadableFile from fault
    except (ValueError, ParseError, DefusedXmlException, LookupError, RecursionError) as fault:
        raise UnreadableFile from fault
    if not rows:
        raise UnreadableFile
    return NamedRows([replace_unstorable(row) for row in rows], encoding)


def _geojson_rows(document: bytes) -> list[ImportRow]:
    """Return the features of a FeatureCollection, or a single Feature.

    Raises `ValueError` for anything else.
    """
    read = msgspec.json.decode(document.removeprefix(BOM_UTF8))
    if not isinstance(read, dict) or read.get("type") not in ("FeatureCollection", "Feature"):
        raise ValueError("no features")
    features = read.get("features") if read["type"] == "FeatureCollection" else [read]
    if not isinstance(features, list) or not all(isinstance(feature, dict) for feature in features):
        raise ValueError("no features")
    return [_feature_row(feature) for feature in features]


def _feature_row(feature: Mapping[str, Any]) -> ImportRow:
    properties = feature.get("properties")
    row: ImportRow = dict(properties) if isinstance(properties, dict) else {}
    if isinstance(feature.get("id"), str | int):
        row.setdefault("reference", str(feature["id"]))
    if isinstance(row.get("geometry"), dict):
        row["ground"] = row["geometry"]
    return {**row, "geometry": feature.get("geometry")}


def _table_rows(document: bytes, question: FormatQuestion, limits: ReadingLimits) -> tuple[list[ImportRow], str | None]:
    """Return rows by lower-case column names, and the encoding of a CSV.

    Empty cells are left out.
    """
    header, rows, encoding = read_table(document, question.format, text=question.text, exact=True, limits=limits)
    names = [name.lower() for name in header]
    return [{name: value for name, value in zip(names, row, strict=True) if name and value} for row in rows], encoding


def _kml_rows(document: bytes) -> Iterator[ImportRow]:
    """Yield placemarks, in folders or not.

    Entities and external references are refused before expansion.
    """
    parser = DefusedXMLParser(forbid_dtd=True, forbid_entities=True, forbid_external=True)
    parser.feed(document)
    root: Element = parser.close()
    for element in root.iter():
        if _local_name(element) == "Placemark":
            yield _placemark_row(element)


def _placemark_row(placemark: Element) -> ImportRow:
    row: ImportRow = {}
    if placemark.get("id"):
        row["reference"] = placemark.get("id")
    for element in placemark.iter():
        name = _local_name(element)
        if name in ("name", "description") and element.text and name not in row:
            row[name] = element.text.strip()
        elif name == "Data" and element.get("name"):
            row[str(element.get("name"))] = "".join(element.itertext()).strip()
        elif name == "SimpleData" and element.get("name"):
            row[str(element.get("name"))] = (element.text or "").strip()
    return {**row, "geometry": _kml_geometry(placemark)}


def _kml_geometry(placemark: Element) -> dict[str, Any] | None:
    """The geometry of a placemark; several polygons are one MultiPolygon."""
    polygons = [_kml_polygon(element) for element in placemark.iter() if _local_name(element) == "Polygon"]
    if polygons:
        many = len(polygons) > 1
        return {"type": "MultiPolygon" if many else "Polygon", "coordinates": polygons if many else polygons[0]}
    for kind in ("LineString", "Point"):
        for element in placemark.iter():
            if _local_name(element) == kind:
                positions = _kml_positions(element)
                return {"type": kind, "coordinates": positions[0] if kind == "Point" and positions else positions}
    return None


def _kml_polygon(polygon: Element) -> list[list[list[float]]]:
    outer = [ring for child in polygon if _local_name(child) == "outerBoundaryIs" for ring in [_kml_positions(child)]]
    holes = [ring for child in polygon if _local_name(child) == "innerBoundaryIs" for ring in [_kml_positions(child)]]
    return [*outer, *holes[:_POLYGON_HOLES]]


def _kml_positions(element: Element) -> list[list[float]]:
    """Return the positions of the first `coordinates` element.

    Format: `east,north,height`, separated by spaces. Raises `ValueError`.
    """
    for inner in element.iter():
        if _local_name(inner) == "coordinates":
            tuples = re.split(r"\s+", re.sub(r"\s*,\s*", ",", (inner.text or "").strip()))
            return [[float(part) for part in position.split(",")[:2]] for position in tuples if position]
    return []


def _local_name(element: Element) -> str:
    return element.tag.rpartition("}")[2]
