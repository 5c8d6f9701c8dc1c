"""Existing orders as the requests that would create them anew."""

from collections.abc import Sequence

from haulier.contexts.custom_fields.values.rules import stored_values
from haulier.contexts.orders.delivery_orders.contract.addresses import Package
from haulier.contexts.orders.delivery_orders.contract.orders import CreateOrder
from haulier.contexts.orders.delivery_orders.store import orders as store

COMPUTED_FIELDS = frozenset({"packages", "service", "signature_required", "quote_id"})
"""What the row of an order does not hold under its own name: pieces have a table, the others stand in the price."""
NAMED_ADDRESSES = frozenset({"recipient_address_id", "sender_address_id"})
"""Other words for the consignee and the shipper, in whose place they stand once the order is taken."""
COPIED_FIELDS = CreateOrder.model_fields.keys() - COMPUTED_FIELDS - NAMED_ADDRESSES - {"custom_fields"}


def order_as_request(row: store.OrderRow, packages: Sequence[store.PackageRow]) -> CreateOrder:
    """The request that would create an order anew, with every field of `CreateOrder`."""
    price = row.price or {}
    return CreateOrder.model_validate(
        {
            **{name: getattr(row, name) for name in COPIED_FIELDS},
            "packages": [
                {name: getattr(package, name) for name in Package.model_fields}
                | {"quantity": 1, "custom_fields": stored_values(package.custom_fields)}
                for package in packages
            ],
            "custom_fields": stored_values(row.custom_fields),
            "service": price.get("service", "standard"),
            "signature_required": price.get("signature_required", False),
        }
    )
