"""Consolidation: parcels that carriers bring to us for our customers, until they leave together in a ship-out.

Words: suite (the code that a customer writes into the address, so that we know whose parcel it is), pre-alert (a parcel that
was announced before it came), unmatched (a parcel of which nobody knows whose it is), ship-out (what leaves; it is of a
context above this one).
"""
