"""Generation of the table of time zones by phone number prefix.

It covers the countries that have several time zones.

    python scripts/number_zones.py FOLDER

FOLDER holds the complete `phonenumbers` package (an unpacked wheel) of the version whose light edition is installed,
which lacks this data.
"""

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from babel.core import get_global
from phonenumbers import COUNTRY_CODE_TO_REGION_CODE, __version__

TARGET = Path(__file__).parents[1] / "src/haulier/contexts/messaging/campaigns/rules/number_zones.json"


def main(folder: Path) -> None:
    """Read the prefixes, and write those that the country alone does not determine."""
    known = _facts(folder)
    zones: dict[str, list[str]] = {}
    for prefix, names in sorted(known.items()):
        shorter = (known[prefix[:end]] for end in range(len(prefix) - 1, 0, -1) if prefix[:end] in known)
        if _is_of_several(prefix) and len(prefix) > _code_digits(prefix) and names != next(shorter, None):
            zones.setdefault(",".join(names), []).append(prefix)
    source = f"phonenumbers {__version__} (Apache-2.0, the Libphonenumber Authors), tzdata"
    told = {"source": source, "zones": {names: " ".join(found) for names, found in sorted(zones.items())}}
    TARGET.write_text(json.dumps(told, indent=0, ensure_ascii=False) + "\n")


def _facts(folder: Path) -> dict[str, tuple[str, ...]]:
    file = folder / "phonenumbers/tzdata/data0.py"
    spec = spec_from_file_location("phonenumbers.tzdata.data0", file)
    assert spec
    assert spec.loader
    module: Any = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.data


def _code_digits(prefix: str) -> int:
    return next(length for length in (1, 2, 3) if int(prefix[:length]) in COUNTRY_CODE_TO_REGION_CODE)


def _is_of_several(prefix: str) -> bool:
    """Return True if the country of a prefix has several time zones."""
    regions = COUNTRY_CODE_TO_REGION_CODE[int(prefix[: _code_digits(prefix)])]
    return any(len(get_global("territory_zones").get(region, ())) > 1 for region in regions)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
