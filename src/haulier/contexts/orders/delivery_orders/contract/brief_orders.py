"""What tools tell of an order where nobody asked for the whole of it."""

FOUND = (
    *("id", "order_ref", "tracking_number", "status", "scheduled_date", "window_start", "window_end"),
    *("customer_id", "driver_id", "driver_name", "route_id", "stop_number", "planned_arrival_at"),
    *("name", "address", "city", "postal_code", "allowed_actions", "price_hidden", "shipping_price", "currency"),
)
"""Of one that was looked for: which it is, where it goes, who has it, and what can be done with it."""
CREATED = (
    *("id", "order_ref", "tracking_number", "status", "scheduled_date", "window_start", "window_end"),
    *("price_hidden", "shipping_price", "currency"),
)
"""Of one that was just written by whoever reads this: what was not known before."""
MOVED = (*CREATED, "name", "address", "city", "postal_code")
"""Of one that was written anew for another address."""
CHANGED = ("id", "order_ref", "status", "price_hidden", "shipping_price", "currency")
"""Of one that was just changed by whoever reads this."""
