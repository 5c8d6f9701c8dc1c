"""Tags of OpenStreetMap become features of the Protomaps basemap schema."""

import pytest

from haulier.adapters.regions.map_layers import (
    area_features,
    boundary_feature,
    line_features,
    name_attributes,
    point_features,
    zoom_of_area,
)


@pytest.mark.parametrize(
    ("tags", "layer", "kind"),
    [
        ({"highway": "motorway"}, "roads", "highway"),
        ({"highway": "primary_link"}, "roads", "major_road"),
        ({"highway": "residential"}, "roads", "minor_road"),
        ({"highway": "footway"}, "roads", "path"),
        ({"railway": "tram"}, "roads", "rail"),
        ({"route": "ferry"}, "roads", "ferry"),
        ({"waterway": "river"}, "water", "river"),
    ],
)
def test_a_line_has_the_layer_and_kind_of_the_schema(tags: dict[str, str], layer: str, kind: str) -> None:
    (feature,) = line_features(tags)
    assert (feature.layer, feature.attributes["kind"]) == (layer, kind)


@pytest.mark.parametrize(
    ("tags", "layer", "kind"),
    [
        ({"building": "yes"}, "buildings", "building"),
        ({"natural": "water", "water": "lake"}, "water", "lake"),
        ({"leisure": "park"}, "landuse", "park"),
        ({"landuse": "forest"}, "landuse", "forest"),
        ({"amenity": "hospital"}, "landuse", "hospital"),
    ],
)
def test_an_area_has_the_layer_and_kind_of_the_schema(tags: dict[str, str], layer: str, kind: str) -> None:
    (feature,) = area_features(tags, 500.0)
    assert (feature.layer, feature.attributes["kind"]) == (layer, kind)


@pytest.mark.parametrize(
    ("tags", "layer", "kind"),
    [
        ({"place": "city", "name": "Helsinki"}, "places", "locality"),
        ({"place": "suburb", "name": "Kluuvi"}, "places", "neighbourhood"),
        ({"amenity": "cafe", "name": "Aroma"}, "pois", "cafe"),
        ({"amenity": "bench"}, "pois", "bench"),
        ({"addr:housenumber": "12"}, "buildings", "address"),
    ],
)
def test_a_point_has_the_layer_and_kind_of_the_schema(tags: dict[str, str], layer: str, kind: str) -> None:
    (feature,) = point_features(tags)
    assert (feature.layer, feature.attributes["kind"]) == (layer, kind)


@pytest.mark.parametrize("tags", [{"building": "no"}, {"amenity": "cafe"}, {"barrier": "fence"}])
def test_other_tags_are_omitted(tags: dict[str, str]) -> None:
    assert [*line_features(tags), *area_features(tags, 500.0), *point_features(tags)] == []


def test_a_road_has_its_drawing_attributes() -> None:
    tags = {"highway": "primary", "name": "Mannerheimintie", "ref": "E12;101", "oneway": "yes", "bridge": "yes"}
    (road,) = line_features(tags)
    assert road.attributes | {"sort_rank": 0} == {
        "kind": "major_road",
        "kind_detail": "primary",
        "sort_rank": 0,
        "name": "Mannerheimintie",
        "ref": "E12",
        "shield_text": "E12",
        "shield_text_length": 3,
        "network": "other",
        "oneway": "yes",
        "is_bridge": True,
    }


def test_names_are_kept_in_the_supported_languages() -> None:
    tags = {"name": "Helsinki", "name:sv": "Helsingfors", "name:fi": "Helsinki", "name:vro": "Helsing"}
    assert name_attributes(tags) == {"name": "Helsinki", "name:sv": "Helsingfors"}


def test_a_name_in_another_script_is_marked() -> None:
    assert name_attributes({"name": "Київ"})["script"] == "Cyrillic"
    assert name_attributes({"name": "東京"})["script"] == "Han"


def test_a_large_area_is_shown_from_a_lower_zoom() -> None:
    assert zoom_of_area(100.0) == 15
    assert zoom_of_area(1_000_000.0) < 12
    assert zoom_of_area(1e14) == 0


def test_a_border_belongs_to_its_highest_area() -> None:
    border = boundary_feature({8, 2})
    assert border
    assert border.attributes == {"kind": "country", "kind_detail": 2, "min_zoom": 0}
    assert boundary_feature({11}) is None
