"""The code of the first start, what the code of a business is made of, and the errors of a set-up that is not open."""

import re
import unicodedata
from collections.abc import Collection

from haulier.kernel.operations.errors import declare_error

SETUP_CODE_INVALID = declare_error("setup_code_invalid", 403)
"""A code that is not the newest one that the server printed."""
ALREADY_SET_UP = declare_error("already_set_up", 409)
"""The server has accounts: nobody sets it up any more."""

SETUP_CODE_PREFIX = "hlsetup"
SETUP_PAGE = "/setup"
BUSINESS_CODE_LENGTH = 40
NAMELESS = "business"


def make_business_code(name: str, taken: Collection[str]) -> str:
    """The code of a business: the Latin letters and digits of its name, and a number where another has that code."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    code = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:BUSINESS_CODE_LENGTH].strip("-") or NAMELESS
    number = 1
    while (found := code if number == 1 else f"{code}-{number}") in taken:
        number += 1
    return found
