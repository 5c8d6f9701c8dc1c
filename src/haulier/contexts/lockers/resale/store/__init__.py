"""Tables and statements of rental offers and locker rentals."""
