"""The Prefer header (RFC 7240): what a caller would like, and does not insist on."""

import re

RESPOND_ASYNC = "respond-async"
"""To be answered at once, with what happened so far, rather than when all is done."""
APPLIED_HEADER = "Preference-Applied"
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"?')


def is_preferred(header: str, name: str) -> bool:
    """Whether a preference without a value is among those of a header. What is malformed or unknown is ignored."""
    preferences = _QUOTED.sub("-", header).split(",")  # a quoted text may hold commas
    return name in (preference.partition(";")[0].strip().lower() for preference in preferences)
