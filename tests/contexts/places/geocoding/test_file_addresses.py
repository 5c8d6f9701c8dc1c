"""Address cells of files: restored zeros by country, and country names as codes."""

from tests.support.every_case import for_every

from haulier.contexts.places.geocoding.rules.formats import repair_address_cells

CODES = [
    *(("US", "2138", "02138"), ("US", "501", "00501"), ("US", "2138-1234", "02138-1234"), ("DE", "1067", "01067")),
    *(("FR", "1000", "01000"), ("IT", "187", "00187"), ("ES", "8001", "08001"), ("FI", "100", "00100")),
    *(("KR", "6000", "06000"), ("NO", "150", "0150"), ("AU", "800", "0800"), ("PR", "901", "00901")),
    *(("AT", "1010", "1010"), ("US", "12", "12"), ("CA", "123", "123"), ("US", "02138", "02138")),
]
COUNTRIES = [
    *(("United States", "US"), ("united states of america", "US"), ("U.S.A.", "US"), ("USA", "US"), ("us", "US")),
    *(("Deutschland", "DE"), ("Allemagne", "DE"), ("Alemania", "DE"), ("德国", "DE"), ("德國", "DE"), ("DEU", "DE")),
    *(("GBR", "GB"), ("Vereinigtes Königreich", "GB"), ("England", "GB"), ("Canada", "CA"), ("加拿大", "CA")),
    *(("Atlantis", "ATLANTIS"), ("The Netherlands", "NL"), ("Türkei", "TR"), ("Hong Kong", "HK")),
]


@for_every("country,written,code", CODES)
def test_leading_zeros_are_restored_with_a_warning(country: str, written: str, code: str) -> None:
    repaired = repair_address_cells({"postal_code": written, "country": country})
    assert repaired.cells["postal_code"] == code
    assert [warning.code for warning in repaired.warnings] == ["field.zeros_restored"] * (written != code)


@for_every("written,code", COUNTRIES)
def test_country_names_become_codes(written: str, code: str) -> None:
    assert repair_address_cells({"country": written}).cells["country"] == code
