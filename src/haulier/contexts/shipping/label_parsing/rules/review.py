"""Fields of a label that an order is made of and that somebody has to confirm or correct first."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from haulier.kernel.operations.errors import FieldError

REVIEW_BELOW = 0.85
"""A field of lower confidence is confirmed or corrected before an order is made of it."""
_CORRECTED_BY = {"tracking_number": "order_ref", "weight_g": "packages", "piece": "packages", "pieces": "packages"}
"""The field of a request that replaces a field of a label. Parts of an address are replaced by the address."""
_USED = ("consignee", "sender", "tracking_number", "weight_g", "pieces")


def list_uncertain(confidences: Iterable[tuple[str, float]]) -> list[str]:
    """Return the names of fields that an order is made of and that are less certain than the limit."""
    return [name for name, sure in confidences if sure < REVIEW_BELOW and name.partition(".")[0] in _USED]


def list_open_faults(
    reading: Mapping[str, Any], corrected: Collection[str], confirmed: Collection[str]
) -> list[FieldError]:
    """Return a fault for each field that is uncertain or missing, and neither corrected nor confirmed.

    `corrected` are names of request fields, `confirmed` names of label fields.
    """
    return list(_open_faults(reading, corrected, confirmed))


def _open_faults(
    reading: Mapping[str, Any], corrected: Collection[str], confirmed: Collection[str]
) -> Iterator[FieldError]:
    sure = {field["name"]: field["confidence"] for field in reading.get("fields", ())}
    for name in list_uncertain(sure.items()):
        if name not in confirmed and _replaced_by(name) not in corrected:
            yield FieldError(name, "field.label_uncertain", {"name": name, "percent": round(sure[name] * 100)})
    for name in reading.get("missing", ()):
        if _replaced_by(name) not in corrected:
            yield FieldError(name, "field.missing")


def _replaced_by(name: str) -> str:
    return _CORRECTED_BY.get(name) or name.partition(".")[0]
