"""Implausible coordinates and P.O. boxes."""

import pytest

from haulier.contexts.places.party_checks.rules import (
    CheckedParty,
    check_coordinates,
    check_party,
    is_military_address,
    is_po_box,
)

TORONTO = (43.65, -79.38)
MADRID_DEPOT = (40.42, -3.7)


@pytest.mark.parametrize(
    ("place", "country", "depots", "fault"),
    [
        (TORONTO, "CA", (), None),
        ((0.0, 0.0), "CA", (), "coordinates_zero"),
        ((-79.38, 43.65), "CA", (), "coordinates_swapped"),
        ((43.65, 79.38), "CA", (), "coordinates_sign_lost"),
        ((13.4, 52.5), "DE", (), "coordinates_swapped"),
        ((2.35, 48.85), "FR", (), "coordinates_swapped"),
        ((-20.88, 55.45), "FR", (), None),
        ((18.47, -66.12), "US", (), None),
        ((35.68, 139.69), "CA", (), "coordinates_far_from_country"),
        ((40.4, 3.7), "ES", (), None),
        ((40.4, 3.7), "ES", (MADRID_DEPOT,), "coordinates_sign_lost"),
        ((39.89, 4.26), "ES", (MADRID_DEPOT,), None),
        ((49.28, -123.12), "CA", (TORONTO,), "coordinates_far_from_depots"),
        ((45.5, -73.57), "CA", (TORONTO,), None),
    ],
)
def test_coordinates_are_compared_with_the_country_and_the_depots(place, country, depots, fault) -> None:
    found = check_coordinates(place, country, depots)
    assert (found and found.fault.value) == fault


def test_swapped_or_mistyped_coordinates_get_a_suggestion() -> None:
    found = check_coordinates((-79.38, 43.65), "CA")
    assert found
    assert found.meant == TORONTO
    assert found.away_m > 10_000_000


@pytest.mark.parametrize(
    ("street", "country"),
    [
        ("PO Box 123", "US"),
        ("P.O. Box 9", "CA"),
        ("Post Office Box 4", "GB"),
        ("GPO Box 77", "AU"),
        ("Locked Bag 12", "AU"),
        ("Packstation 145", "DE"),
        ("Postfach 10 20 30", "DE"),
        ("Postbus 12", "NL"),
        ("BP 40", "FR"),
        ("B.P. 1204", "SN"),
        ("Boîte postale 3", "BE"),
        ("C.P. 55", "CA"),
        ("Case postale 12", "CH"),
        ("Casella Postale 9", "IT"),
        ("Apartado 22", "ES"),
        ("Apdo. 22", "MX"),
        ("Casilla de Correo 8", "AR"),
        ("Box 120", "SE"),
        ("北京市邮政信箱 100 号", "CN"),
        ("郵政信箱 5 號", "TW"),
        ("中央郵便局私書箱1号", "JP"),
        ("12 Rue de la Paix, BP 3", "FR"),
    ],
)
def test_po_boxes_are_recognized_in_each_countrys_notation(street: str, country: str) -> None:
    assert is_po_box(street, country)


@pytest.mark.parametrize(
    ("street", "country"),
    [
        ("1 Box Hill Rd", "AU"),
        ("Av. Juárez 12, C.P. 06000", "MX"),
        ("Calle Mayor 3, CP 28013", "ES"),
        ("12 BP Station Road", "GB"),
        ("Boxer Street 4", "US"),
        ("RR 2 Box 14", "US"),
        ("100 Queen St W", "CA"),
        ("5 Casillas", "AR"),
    ],
)
def test_street_addresses_are_not_taken_for_po_boxes(street: str, country: str) -> None:
    assert not is_po_box(street, country)


@pytest.mark.parametrize(("city", "region"), [("APO", "AE"), ("fpo", ""), ("DPO AP", "AP"), ("Unit 1", "US-AA")])
def test_military_addresses_are_recognized_by_city_or_state(city: str, region: str) -> None:
    assert is_military_address(city, region, "US")


@pytest.mark.parametrize(
    ("city", "region", "country"),
    [("Apopka", "FL", "US"), ("APO", "AE", "CA"), ("Dubai", "AE", "AE"), ("Erie", "PA", "US")],
)
def test_other_addresses_are_not_military(city: str, region: str, country: str) -> None:
    assert not is_military_address(city, region, country)


def test_a_military_address_far_from_its_country_gives_no_warning() -> None:
    ramstein = CheckedParty(
        lines=(), street="Unit 3050 Box 12", city="APO", region="AE", country="US", place=(49.4, 7.6)
    )
    assert list(check_party(ramstein)) == []
    assert [each.code for each in check_party(ramstein, own_drivers=True)] == ["military_address"]
