"""Tables and statements of the luggage relay."""
