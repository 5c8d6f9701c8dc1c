"""Examples in forms, from the country of the business."""

import re
from collections.abc import Mapping

from haulier.kernel.values.countries import time_zones_by_country
from haulier.web.kinds.habits import Habits

HOME = "CA"
"""Country of the examples in the schemas."""
_LOCAL = re.compile(
    r"Toronto|Ontario|Union Station|\b(Front|Queen|King|Yonge|Bay) St\b|\bM5[A-Z]\b|^ON$|^HST$|^CA$|\bCAD\b|CANADA"
    r"|\+1416|\bTOR-|America/",
    re.IGNORECASE,
)
"""Examples that only fit the country of the schemas."""
_EXAMPLES: Mapping[str, Mapping[str, str]] = {
    "AE": {"city": "Dubai", "address": "12 Al Rigga Rd"},
    "BR": {"city": "São Paulo", "region": "SP", "postal_code": "01310-100", "address": "Av. Paulista 1000"},
    "DE": {"city": "Berlin", "postal_code": "10115", "address": "Torstr. 100", "phone": "+493023125000"},
    "ES": {"city": "Madrid", "postal_code": "28013", "address": "Calle Mayor 10"},
    "FI": {"city": "Helsinki", "postal_code": "00100", "address": "Mannerheimintie 10"},
    "FR": {"city": "Paris", "postal_code": "75002", "address": "10 rue de la Paix"},
    "GB": {"city": "London", "postal_code": "EC1A 1BB", "address": "10 High St", "phone": "+442079460100"},
    "JP": {"city": "Tokyo", "postal_code": "100-0001", "address": "1-1 Chiyoda"},
    "US": {
        "city": "Chicago",
        "region": "IL",
        "postal_code": "60601",
        "address": "100 Main St",
        "phone": "+13125550100",
    },
}
"""Examples of a few countries by field. Phone numbers are reserved for fiction."""


def example_for(field: str, example: str, habits: Habits) -> str:
    """Return the example of a field for the country of a business.

    It is empty if the schema's example only fits another country, and there is none for this one.
    """
    if habits.country == HOME or not _LOCAL.search(example):
        return example
    label = field.rpartition(".")[2]
    if label == "country" or example == HOME:
        return habits.country or ""
    if label == "currency" or example == "CAD":
        return habits.currency
    if label == "time_zone":
        return next((zone for zone, country in time_zones_by_country() if country == habits.country), "")
    return _EXAMPLES.get(habits.country or "", {}).get(label, "")
