"""Records as documents: CSV, XLSX, JSON and GeoJSON (RFC 7946)."""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from haulier.kernel.values.csv_text import csv_text
from haulier.kernel.values.xlsx import XLSX_TYPE, write_xlsx

MEDIA_TYPES = {"csv": "text/csv", "json": "application/json", "geojson": "application/geo+json", "xlsx": XLSX_TYPE}


class ExportedRecord(Protocol):
    """What of a record is exported."""

    id: int
    values: dict[str, Any]
    lat: float | None
    lng: float | None


def export_document(kind: str, fields: Sequence[str], records: Sequence[ExportedRecord]) -> str:
    """Records as a document of a kind; a workbook is in base64.

    An import reads it again, save that a table has no room for values beyond its fields.
    """
    match kind:
        case "csv" | "xlsx":
            header = ["id", *fields, "lat", "lng"]
            rows = [[r.id, *(_cell(r.values.get(name)) for name in fields), r.lat, r.lng] for r in records]
            return csv_text(header, rows) if kind == "csv" else b64encode(write_xlsx(header, rows)).decode()
        case "json":
            plain = [{"id": r.id, "values": r.values, "lat": r.lat, "lng": r.lng} for r in records]
            return msgspec.json.encode(plain).decode()
        case _:
            features = [_feature(r) for r in records if r.lat is not None]
            return msgspec.json.encode({"type": "FeatureCollection", "features": features}).decode()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return msgspec.json.encode(value).decode() if isinstance(value, dict | list) else value


def _feature(record: ExportedRecord) -> dict[str, Any]:
    point = {"type": "Point", "coordinates": [record.lng, record.lat]}
    return {"type": "Feature", "id": record.id, "geometry": point, "properties": record.values}
