"""Plain values: ids, money, geography, pages and state machines."""
