"""The tables of the address book."""
