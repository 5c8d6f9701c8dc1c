"""What tools tell of an order where nobody asked for the whole of it."""

FOUND = (
    *("id", "order_ref", "tracking_number", "status", "scheduled_date", "window_start", "window_end"),
    *("customer_id", "driver_id", "driver_name", "route_id", "stop_number", "planned_arrival_at"),
    *("name", "address", "city", "postal_code", "allowed_actions", "price_hidden", "shipping_price", "currency"),
)
"""Fields of a found order: its identity, destination, holder and available actions."""
CREATED = (
    *("id", "order_ref", "tracking_number", "status", "scheduled_date", "window_start", "window_end"),
    *("price_hidden", "shipping_price", "currency"),
)
"""Fields of a created order that the caller does not know yet."""
MOVED = (*CREATED, "name", "address", "city", "postal_code")
"""Fields of an order recreated for another address."""
CHANGED = ("id", "order_ref", "status", "price_hidden", "shipping_price", "currency")
"""Fields of an order that the caller just changed."""
