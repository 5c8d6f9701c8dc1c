"""Plain values: ids, money, places on earth, pages, state machines."""
