"""Whether a request that names a reference is the one that made the order, and where it differs."""

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from haulier.contexts.custom_fields.values.rules import differing_names

if TYPE_CHECKING:  # Why: rules import no request types at run time.
    from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder

NOT_COMPARED = {"order_ref", "customer_id", "quote_id"}
"""What names the order and its customer, and how its price was found."""
ENDS = ("consignee", "shipper")
PIECES = "packages"
CUSTOM_FIELDS = "custom_fields"


def request_digest(request: "CreateOrder") -> bytes:
    """What tells a repeat of a request from another one with the same reference."""
    # Why: without defaults, so that a field that is added later does not make every request another one.
    document = request.model_dump(mode="json", exclude=NOT_COMPARED, exclude_defaults=True)
    return hashlib.sha256(msgspec.json.encode(document, order="deterministic")).digest()


def differing_fields(request: "CreateOrder", other: "CreateOrder") -> list[str]:
    """The fields in which two requests differ, those of addresses by their paths."""
    return list(_differing_fields(request, other))


def _differing_fields(request: "CreateOrder", other: "CreateOrder") -> Iterator[str]:
    for name in type(request).model_fields.keys() - NOT_COMPARED - {PIECES, CUSTOM_FIELDS}:
        here, there = getattr(request, name), getattr(other, name)
        if here == there:
            continue
        if name in ENDS and here is not None and there is not None:
            parts = type(here).model_fields
            yield from (f"{name}.{part}" for part in parts if getattr(here, part) != getattr(there, part))
        else:
            yield name
    yield from (f"{CUSTOM_FIELDS}.{name}" for name in differing_names(request.custom_fields, other.custom_fields))
    if _pieces(request) != _pieces(other) or any(
        differing_names(here.custom_fields, there.custom_fields)
        for here, there in zip(request.pieces, other.pieces, strict=True)
    ):
        yield PIECES


def _pieces(request: "CreateOrder") -> list[dict[str, Any]]:
    return [piece.model_dump(exclude={"quantity", CUSTOM_FIELDS}) for piece in request.pieces]
