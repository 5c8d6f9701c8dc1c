"""The Prefer header (RFC 7240): optional preferences of a caller."""

import re

RESPOND_ASYNC = "respond-async"
"""Answer immediately with the current state instead of waiting for the result."""
APPLIED_HEADER = "Preference-Applied"
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"?')


def is_preferred(header: str, name: str) -> bool:
    """Return True if a header has a preference.

    Malformed and unknown preferences are ignored.
    """
    preferences = _QUOTED.sub("-", header).split(",")  # a quoted text may hold commas
    return name in (preference.partition(";")[0].strip().lower() for preference in preferences)
