"""Country codes and reference points."""

from haulier.kernel.values.countries import country_codes, country_places, iso_country_codes
from haulier.kernel.values.geography import great_circle_m


def test_codes_are_iso_3166_plus_kosovo() -> None:
    assert len(iso_country_codes()) == 249
    assert {"CA", "US", "XK"} <= country_codes()
    assert country_codes().isdisjoint({"ZZ", "EU", "UK", "XX", "DD", "SU"})


def test_every_country_has_a_reference_point() -> None:
    assert [code for code in country_codes() if not country_places(code)] == []
    assert country_places("ZZ") == ()


def test_remote_territories_are_within_the_distance_of_their_country() -> None:
    remote = {
        "CA": (62.45, -114.37),
        "US": (18.47, -66.12),
        "FR": (41.93, 8.74),
        "IN": (8.08, 77.55),
        "CN": (22.0, 100.8),
        "ZA": (-33.92, 18.42),
        "NO": (69.73, 30.05),
        "CL": (-18.48, -70.31),
        "XK": (42.67, 21.17),
    }
    for code, place in remote.items():
        assert min(great_circle_m(place, each) for each in country_places(code)) < 2_600_000, code
