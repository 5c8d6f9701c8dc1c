"""The operations of the luggage relay."""
