"""UPS, by its published OpenAPI contracts (Rating, Shipping, Tracking, Pickup, Address Validation; versions of 2024-09)."""
