"""Cash on delivery, and the pay of drivers and contractors.

Entries are written once and never changed.
"""
