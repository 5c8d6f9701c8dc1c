"""Messages of carriers that were not, or not wholly, understood."""

import hashlib
from enum import StrEnum
from typing import Any

import msgspec

from haulier.contexts.tracking.ingest.rules.parsed import RefusalReason
from haulier.kernel.operations.errors import OperationError

WHOLE = "$"
"""The path of a reason that is about the whole message."""
SCAN_UNREADABLE = RefusalReason(WHOLE, "ingest.scan_time")
REASONS_MAX = 100
"""Reasons that are stored of a message; a webhook may have a thousand events."""


class CarrierMessageOrigin(StrEnum):
    """Origin of a message."""

    PUSH = "push"
    """The carrier called."""
    POLL = "poll"
    """The carrier answered a request for scans."""


class CarrierMessageStatus(StrEnum):
    """The state of a message."""

    OPEN = "open"
    """At least one of its events is not recorded."""
    APPLIED = "applied"
    """A replay recorded the rest of its events."""


def scan_digest(carrier: str, number: str, document: str) -> str:
    """Return the id of a polled scan; repeated polls store it once."""
    return hashlib.sha256(f"poll|{carrier}|{number}|{document}".encode()).hexdigest()[:32]


def scan_text(scan: Any) -> str:
    """Return a scan as it is stored: the same text for the same content."""
    return msgspec.json.encode(scan, order="sorted").decode()


def error_reason(error: OperationError) -> RefusalReason:
    """Return the refusal of a whole document as a reason."""
    return RefusalReason(WHOLE, error.error_type.id, dict(error.params))
