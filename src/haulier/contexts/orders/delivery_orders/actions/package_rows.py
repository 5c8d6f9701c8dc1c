"""Rows of the pieces of an order."""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.custom_fields.public import Document
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder


def documents_by_piece(request: CreateOrder, documents: Sequence[Document | None]) -> Sequence[Document | None]:
    """Return the custom fields of each piece, where packages of a request are several pieces."""
    if not documents:
        return ()
    packages = zip(request.packages, documents, strict=True)
    return [document for package, document in packages for _ in range(package.quantity)]


def package_row_values(
    request: CreateOrder, order_id: int, tracking_number: str, documents: Sequence[Document | None] = ()
) -> list[dict[str, Any]]:
    """The rows of an order's pieces. The first has the order's number, each further one a number of its own.

    `documents` are what each piece keeps of custom fields; none where no piece keeps any.
    """
    return [
        {
            "order_id": order_id,
            "tracking_number": tracking_number + (f"-{number}" if number > 1 else ""),
            **piece.model_dump(exclude={"quantity", "custom_fields"}),
            "quantity": 1,
            "custom_fields": documents[number - 1] if documents else None,
        }
        for number, piece in enumerate(request.pieces, 1)
    ]
