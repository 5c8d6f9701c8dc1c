"""Rules of setup codes and business codes, and setup errors."""

import re
import unicodedata
from collections.abc import Collection

from haulier.kernel.operations.errors import declare_error

SETUP_CODE_INVALID = declare_error("setup_code_invalid", 403)
"""The code is not the newest one that the server printed."""
ALREADY_SET_UP = declare_error("already_set_up", 409)
"""The server has accounts, so setup is closed."""

SETUP_CODE_PREFIX = "hlsetup"
SETUP_PAGE = "/setup"
BUSINESS_CODE_LENGTH = 40
NAMELESS = "business"


def make_business_code(name: str, taken: Collection[str]) -> str:
    """Return a business code: letters and digits of its name, with a number if taken."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    code = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:BUSINESS_CODE_LENGTH].strip("-") or NAMELESS
    number = 1
    while (found := code if number == 1 else f"{code}-{number}") in taken:
        number += 1
    return found
