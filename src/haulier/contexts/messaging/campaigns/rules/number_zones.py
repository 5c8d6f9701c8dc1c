"""In which time zones a telephone number may be, by its area, where its country has several.

The facts stand in `number_zones.json`, which `scripts/number_zones.py` derives from phonenumbers; read when first used.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from haulier.late_import import LateMapping, LateModule

if TYPE_CHECKING:
    import phonenumbers
    from phonenumbers import phonenumberutil
else:
    phonenumbers, phonenumberutil = map(LateModule, ("phonenumbers", "phonenumbers.phonenumberutil"))

LONGEST_PREFIX = 8


def _by_prefix() -> Mapping[str, tuple[str, ...]]:
    text = files("haulier.contexts.messaging.campaigns.rules").joinpath("number_zones.json").read_text("utf-8")
    zones: Mapping[str, str] = json.loads(text)["zones"]
    return {prefix: tuple(names.split(",")) for names, prefixes in zones.items() for prefix in prefixes.split()}


_zones = LateMapping(_by_prefix)


@lru_cache(maxsize=4096)
def zones_of_number(phone: str) -> tuple[str, ...]:
    """Return the time zones of the area of a number in E.164.

    Empty where the number says no more than its country does: of a country with one zone, of a mobile network that
    is not bound to an area, of a service.
    """
    number = phonenumbers.parse(phone, None)
    kind = phonenumberutil.number_type(number)
    if not phonenumberutil.is_number_type_geographical(kind, number.country_code or 0):
        return ()
    prefixes = (phone[1:end] for end in range(LONGEST_PREFIX + 1, 1, -1))
    return next((_zones[prefix] for prefix in prefixes if prefix in _zones), ())
