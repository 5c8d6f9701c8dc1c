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
    """ID of the zone map."""


class CreateZoneMap(Request):
    """A new map."""

    name: Name = Field(examples=["Surcharges 2026"])
    """Display name."""
    description: Note | None = None
    """Purpose of the map."""


class UpdateZoneMap(CreateZoneMap):
    """A map's name and description from now on."""

    zone_map_id: RecordId
    """ID of the zone map."""


class ListZoneMaps(PageRequest):
    """Filters and page of a map list."""

    archived: bool = False
    """If true, include archived maps."""


class ZoneRef(ZoneMapRef):
    """Reference to a zone of a map."""

    code: ZoneCode
    """Code of the zone."""


class PutZone(ZoneRef):
    """A zone as the draft shall have it."""

    name: Name = Field(examples=["North"])
    """Display name."""
    geometry: MapGeometry
    """Geometry (RFC 7946): a Polygon, MultiPolygon, LineString or MultiLineString with at most 5,000 points."""
    rule: ZoneRule = ZoneRule.NONE
    """Rule of the zone. Lines have no rule."""
    priority: int = Field(default=0, ge=-1000, le=1000)
    """Priority among overlapping zones with the same rule. The highest applies, and the smallest area among equals."""
    colour: Colour | None = None
    """Color on the map."""
    surcharge_minor: int = Field(default=0, ge=0, le=10**9)
    """Surcharge zones only: surcharge per order in minor units, before tax."""
    surcharge_percent: int = Field(default=0, ge=0, le=1000)
    """Surcharge zones only: surcharge per order in percent of its base price."""
    driver_ids: Annotated[list[DriverId], Field(max_length=500)] = []
    """Driver territories only: drivers of the territory."""
    depot_ids: Annotated[list[RecordId], Field(max_length=50)] = []
    """Depot catchments only: depots that serve the area."""
    advisory: bool = False
    """Service areas and no-go zones only: if true, orders against the rule are accepted with a warning. Plans leave
    them out."""

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
    """Version to list. 0 is before the first. Default: the draft."""
    rule: ZoneRule | None = None
    """Filter by rule."""
    per_page: int = Field(default=50, ge=1, le=200)
    """Number of records per page."""
    cursor: Annotated[str, Field(max_length=MAX_CURSOR_LENGTH)] | None = None
    """`next_cursor` of the previous page."""


class ImportZones(DocumentRequest, FileInput):
    """Document of zones, and the map for its draft. Default: a new map."""

    file_field: ClassVar[str] = "document"
    media_types: ClassVar[Any] = {
        GEOJSON: {"title": "ZonesAsGeoJson", "type": "object", "description": "A FeatureCollection (RFC 7946)."},
        JSON: {"title": "ZonesAsJson", "type": "object", "description": "The same."},
        KML: {"title": "ZonesAsKml", "type": "string", "description": "A KML document (OGC KML 2.2)."},
    }
    zone_map_id: RecordId | None = None
    """ID of the zone map."""
    name: Name | None = Field(default=None, examples=["Surcharges 2026"])
    """Name of a new map."""
    check_only: bool = False
    """If true, check each row by the rules of the import without writing anything or creating a map."""


class PublishZoneMap(ZoneMapRef):
    """Reference to a map, and a reason."""

    note: Note | None = Field(default=None, examples=["Winter surcharges"])
    """Note about the changes, shown in the version history."""


class RollBackZoneMap(PublishZoneMap):
    """Reference to a map, and the version to restore."""

    version: VersionNumber
    """Version to restore. 0 puts none of the zones in force."""


class ListZoneMapVersions(PageRequest):
    """Reference to a map, and a page of its versions."""

    zone_map_id: RecordId
    """ID of the zone map."""


class CompareZoneMapVersions(ZoneMapRef):
    """Two versions of a map."""

    before: VersionNumber
    """Earlier version. 0 is before the first."""
    after: VersionNumber | None = None
    """Later version. Default: the draft."""


class CheckPlace(Request):
    """A place."""

    lat: Latitude
    """Latitude in decimal degrees (WGS 84)."""
    lng: Longitude
    """Longitude in decimal degrees (WGS 84)."""


class DrawnBox(Request):
    """A part of the map; all of it, unless said."""

    west: Longitude = -180
    """Longitude of the western edge in decimal degrees."""
    south: Latitude = -90
    """Latitude of the southern edge in decimal degrees."""
    east: Longitude = 180
    """Longitude of the eastern edge in decimal degrees."""
    north: Latitude = 90
    """Latitude of the northern edge in decimal degrees."""


class ZoneMap(Answer):
    """A layer of zones."""

    id: int
    name: str
    description: str | None
    version: Annotated[int, doc("Version in force; 0 before the first publication.")]
    draft_changes: Annotated[int, doc("Number of zones that the draft adds, changes or removes.")]
    archived: Annotated[bool, doc("True if the map is archived. Archived maps are not in force.")]
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
    rule: Annotated[str, doc("One of none, service_area, no_go, surcharge, driver_territory or depot_catchment.")]
    priority: int
    colour: str | None
    surcharge_minor: Annotated[int, doc("Surcharge in minor units, before tax.")]
    surcharge_percent: Annotated[int, doc("Surcharge in percent of the base price.")]
    driver_ids: list[DriverId]
    depot_ids: list[int]
    advisory: Annotated[bool, doc("True if orders against the rule are accepted with a warning.")]
    geometry: Annotated[dict[str, Any], doc("Geometry as GeoJSON (RFC 7946).")]
    area_km2: Annotated[float, doc("Area in square kilometres; 0 for a line.")]
    since_version: Annotated[int, doc("First version with this state of the zone.")]


class ZoneAnswer(Answer):
    """One zone."""

    result: bool = True
    zone: Zone


class ZoneList(Answer):
    """A page of zones, by code."""

    result: bool = True
    zones: list[Zone]
    next_cursor: Annotated[str | None, doc("Cursor of the next page; null on the last page.")]


class ZoneFeature(Answer):
    """A zone as a Feature of RFC 7946; its id is its code."""

    type: Literal["Feature"] = "Feature"
    id: str
    geometry: dict[str, Any]
    properties: Annotated[dict[str, Any], doc("Other fields of the zone.")]


class ZoneFeatureCollection(Answer):
    """Zones as a FeatureCollection of RFC 7946."""

    type: Literal["FeatureCollection"] = "FeatureCollection"
    features: list[ZoneFeature]
    next_cursor: Annotated[str | None, doc("Cursor of the next page; null on the last page.")]


class ZoneMapVersion(Answer):
    """A version that was published."""

    number: int
    published_at: datetime
    published_by: Annotated[int | None, doc("ID of the user who published the version.")]
    note: str | None
    zones: Annotated[int, doc("Number of zones.")]


class ZoneMapVersionList(PagedAnswer):
    """A page of versions, newest first."""

    versions: list[ZoneMapVersion]


class ZoneDifference(Answer):
    """Difference of a later version."""

    code: str
    change: Annotated[str, doc("Difference: added, removed or changed.")]
    fields: Annotated[list[str], doc("Changed fields of the zone.")]


class ZoneMapComparison(Answer):
    """Differences between two versions, by code."""

    result: bool = True
    differences: list[ZoneDifference]
    more: Annotated[bool, doc("True if there are more than the 1,000 listed.")]


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
    zones: Annotated[list[ZoneAtPlace], doc("Zones at the place, those that apply first.")]
    closed: Annotated[str | None, doc("Reason why orders to this place are refused: no_go or outside_service_area.")]
    advisory: Annotated[bool, doc("True if orders are accepted with a warning. Plans leave them out.")]
    surcharge_minor: Annotated[int, doc("Surcharge of orders here in minor units, before tax.")]
    surcharge_percent: Annotated[int, doc("Surcharge of orders here in percent of the base price.")]
    driver_ids: Annotated[
        list[DriverId] | None, doc("Drivers who may come here; null for all drivers without a territory.")
    ]
    depot_ids: Annotated[list[int] | None, doc("Depots that serve this place; null for all.")]


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
    more: Annotated[bool, doc("True if there are more than the 2,000 returned.")]
