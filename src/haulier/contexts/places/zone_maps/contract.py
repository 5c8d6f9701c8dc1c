"""Zone maps: requests and answers."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from haulier.contexts.places.place_imports.rules import GEOJSON, JSON, KML
from haulier.contexts.places.zone_maps.rules import ZoneRule
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import DocumentRequest, Request
from haulier.kernel.operations.fields import Latitude, Longitude, Name, Note, RecordId
from haulier.kernel.operations.file_parts import FileInput
from haulier.kernel.operations.ids import DriverId
from haulier.kernel.values.geojson import LINES, MapGeometry
from haulier.kernel.values.pagination import MAX_CURSOR_LENGTH, PagedAnswer, PageRequest

MAX_ZONES = 20_000
MAX_DRAWN = 2_000
MAX_DIFFERENCES = 1_000
ZoneCode = Annotated[
    str, Field(min_length=1, max_length=80, pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]*$", examples=["north-1"])
]
Colour = Annotated[str, Field(pattern="^#[0-9a-fA-F]{6}$", max_length=7, examples=["#2a9d8f"])]
VersionNumber = Annotated[int, Field(ge=0, le=10**9)]


class ZoneMapRef(Request):
    """Reference to a map."""

    zone_map_id: RecordId
    """The map's id."""


class CreateZoneMap(Request):
    """A new map."""

    name: Name = Field(examples=["Surcharges 2026"])
    """What people call it."""
    description: Note | None = None
    """What it is for."""


class UpdateZoneMap(CreateZoneMap):
    """A map's name and description from now on."""

    zone_map_id: RecordId
    """The map's id."""


class ListZoneMaps(PageRequest):
    """Filters and page of a map list."""

    archived: bool = False
    """Also those that are archived."""


class ZoneRef(ZoneMapRef):
    """Reference to a zone of a map."""

    code: ZoneCode
    """The zone's code."""


class PutZone(ZoneRef):
    """A zone as the draft shall have it."""

    name: Name = Field(examples=["North"])
    """What people call it."""
    geometry: MapGeometry
    """Where it is: a Polygon, MultiPolygon, LineString or MultiLineString of RFC 7946, with at most 5,000 corners."""
    rule: ZoneRule = ZoneRule.NONE
    """What it means; lines are only drawn."""
    priority: int = Field(default=0, ge=-1000, le=1000)
    """Where zones of one rule overlap, the highest counts; among equals the smaller."""
    colour: Colour | None = None
    """How it is drawn."""
    surcharge_minor: int = Field(default=0, ge=0, le=10**9)
    """Of a surcharge: what an order costs more, in minor units before tax."""
    surcharge_percent: int = Field(default=0, ge=0, le=1000)
    """Of a surcharge: what an order costs more, in percent of its base price."""
    driver_ids: Annotated[list[DriverId], Field(max_length=500)] = []
    """Of a driver territory: whose it is."""
    depot_ids: Annotated[list[RecordId], Field(max_length=50)] = []
    """Of a depot catchment: from where its orders come."""
    advisory: bool = False
    """Of a service area or a no-go zone: orders against it are taken with a warning, not refused. Plans leave them out."""

    @model_validator(mode="after")
    def _rule_has_its_terms(self) -> "PutZone":
        if self.rule is not ZoneRule.NONE and self.geometry["type"] in LINES:
            raise PydanticCustomError("zone_rule_of_line", "a line has no inside")
        needed = RULE_TERMS.get(self.rule, ())
        if needed and not any(getattr(self, name) for name in needed):
            raise PydanticCustomError("zone_rule_terms", "terms are missing", {"fields": ", ".join(needed)})
        return self


RULE_TERMS = {
    ZoneRule.SURCHARGE: ("surcharge_minor", "surcharge_percent"),
    ZoneRule.DRIVER_TERRITORY: ("driver_ids",),
    ZoneRule.DEPOT_CATCHMENT: ("depot_ids",),
}
"""Required fields by rule: a zone needs at least one. Other rules need none."""


class ListZones(ZoneMapRef):
    """Filters and page of a zone list."""

    version: VersionNumber | None = None
    """Of which version: 0 is before the first. Left out, the draft."""
    rule: ZoneRule | None = None
    """Only with this rule."""
    per_page: int = Field(default=50, ge=1, le=200)
    """Records on a page."""
    cursor: Annotated[str, Field(max_length=MAX_CURSOR_LENGTH)] | None = None
    """Continues a list: `next_cursor` of the page before."""


class ImportZones(DocumentRequest, FileInput):
    """Document of zones, and the map for its draft. Default: a new map."""

    file_field: ClassVar[str] = "document"
    media_types: ClassVar[Any] = {
        GEOJSON: {"title": "ZonesAsGeoJson", "type": "object", "description": "A FeatureCollection (RFC 7946)."},
        JSON: {"title": "ZonesAsJson", "type": "object", "description": "The same."},
        KML: {"title": "ZonesAsKml", "type": "string", "description": "A KML document (OGC KML 2.2)."},
    }
    zone_map_id: RecordId | None = None
    """The map's id."""
    name: Name | None = Field(default=None, examples=["Surcharges 2026"])
    """What a new map is called."""
    check_only: bool = False
    """Check each row with the rules of the import, and write nothing. Without a map, none is created."""


class PublishZoneMap(ZoneMapRef):
    """Reference to a map, and a reason."""

    note: Note | None = Field(default=None, examples=["Winter surcharges"])
    """What changed, for those who read the history."""


class RollBackZoneMap(PublishZoneMap):
    """Reference to a map, and the version to restore."""

    version: VersionNumber
    """The version that shall be in force again; 0 for none of its zones."""


class ListZoneMapVersions(PageRequest):
    """Reference to a map, and a page of its versions."""

    zone_map_id: RecordId
    """The map's id."""


class CompareZoneMapVersions(ZoneMapRef):
    """Two versions of a map."""

    before: VersionNumber
    """The earlier one; 0 is before the first."""
    after: VersionNumber | None = None
    """The later one; left out, the draft."""


class CheckPlace(Request):
    """A place."""

    lat: Latitude
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude
    """Longitude in decimal degrees (WGS 84)."""


class DrawnBox(Request):
    """A part of the map; all of it, unless said."""

    west: Longitude = -180
    """Degrees east of its left side."""
    south: Latitude = -90
    """Degrees north of its lower side."""
    east: Longitude = 180
    """Degrees east of its right side."""
    north: Latitude = 90
    """Degrees north of its upper side."""


class ZoneMap(Answer):
    """A layer of zones."""

    id: int
    name: str
    description: str | None
    version: Annotated[int, doc("The version in force; 0 while nothing was published.")]
    draft_changes: Annotated[int, doc("Zones that the draft adds, changes or removes.")]
    archived: Annotated[bool, doc("An archived map is in force no more.")]
    created_at: datetime
    updated_at: datetime


class ZoneMapAnswer(Answer):
    """One map."""

    result: bool = True
    zone_map: ZoneMap


class ZoneMapList(PagedAnswer):
    """A page of maps, by name."""

    zone_maps: list[ZoneMap]


class Zone(Answer):
    """An area or a line of a map."""

    code: str
    name: str
    rule: Annotated[str, doc("none, service_area, no_go, surcharge, driver_territory or depot_catchment.")]
    priority: int
    colour: str | None
    surcharge_minor: Annotated[int, doc("In minor units, before tax.")]
    surcharge_percent: Annotated[int, doc("In percent of the base price.")]
    driver_ids: list[DriverId]
    depot_ids: list[int]
    advisory: Annotated[bool, doc("Whether orders against it are taken with a warning, not refused.")]
    geometry: Annotated[dict[str, Any], doc("GeoJSON (RFC 7946).")]
    area_km2: Annotated[float, doc("0 for a line.")]
    since_version: Annotated[int, doc("The first version that has it as it is.")]


class ZoneAnswer(Answer):
    """One zone."""

    result: bool = True
    zone: Zone


class ZoneList(Answer):
    """A page of zones, by code."""

    result: bool = True
    zones: list[Zone]
    next_cursor: Annotated[str | None, doc("Continues the list; null at its end.")]


class ZoneFeature(Answer):
    """A zone as a Feature of RFC 7946; its id is its code."""

    type: Literal["Feature"] = "Feature"
    id: str
    geometry: dict[str, Any]
    properties: Annotated[dict[str, Any], doc("Everything else about it.")]


class ZoneFeatureCollection(Answer):
    """Zones as a FeatureCollection of RFC 7946."""

    type: Literal["FeatureCollection"] = "FeatureCollection"
    features: list[ZoneFeature]
    next_cursor: Annotated[str | None, doc("Continues the list; null at its end.")]


class ZoneMapVersion(Answer):
    """A version that was published."""

    number: int
    published_at: datetime
    published_by: Annotated[int | None, doc("The id of the user who published it.")]
    note: str | None
    zones: Annotated[int, doc("How many zones it has.")]


class ZoneMapVersionList(PagedAnswer):
    """A page of versions, newest first."""

    versions: list[ZoneMapVersion]


class ZoneDifference(Answer):
    """Difference of a later version."""

    code: str
    change: Annotated[str, doc("added, removed or changed.")]
    fields: Annotated[list[str], doc("Of a zone that changed: which fields.")]


class ZoneMapComparison(Answer):
    """Differences between two versions, by code."""

    result: bool = True
    differences: list[ZoneDifference]
    more: Annotated[bool, doc("Whether there are more than the 1,000 that are listed.")]


class ZoneAtPlace(Answer):
    """A published zone that a place is in."""

    zone_map_id: int
    code: str
    name: str
    rule: str
    priority: int


class PlaceCheck(Answer):
    """The published zones at a place, and what they mean for orders there."""

    result: bool = True
    zones: Annotated[list[ZoneAtPlace], doc("Those that count first come first.")]
    closed: Annotated[str | None, doc("Why orders to here are refused: no_go or outside_service_area.")]
    advisory: Annotated[bool, doc("Whether they are taken all the same, with a warning. Plans leave them out.")]
    surcharge_minor: Annotated[int, doc("What orders here cost more, in minor units before tax.")]
    surcharge_percent: Annotated[int, doc("What orders here cost more, in percent of the base price.")]
    driver_ids: Annotated[
        list[DriverId] | None, doc("The drivers who may come here; null for all without a territory.")
    ]
    depot_ids: Annotated[list[int] | None, doc("The depots that orders here come from; null for all.")]


class DrawnZone(Answer):
    """A published zone, as maps draw it."""

    code: str
    name: str
    rule: str
    colour: str | None
    geometry: dict[str, Any]


class DrawnZones(Answer):
    """Published zones, the highest first."""

    result: bool = True
    zones: list[DrawnZone]
    more: Annotated[bool, doc("Whether there are more than the 2,000 that are drawn.")]
