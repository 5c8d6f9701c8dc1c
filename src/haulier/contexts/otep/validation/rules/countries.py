"""The officially assigned country codes of ISO 3166-1."""

import tomllib
from pathlib import Path

from haulier.kernel.values.countries import iso_country_codes

COUNTRY_CODES = iso_country_codes()

ALPHA3_CODES: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["alpha3"]
"""The three-letter codes by the two-letter ones."""

COUNTRY_CODES_BY_ALPHA3 = {alpha3: alpha2 for alpha2, alpha3 in ALPHA3_CODES.items()}
