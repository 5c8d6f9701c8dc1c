"""Consolidation: customers' inbound parcels, from announcement to ship-out.

Terms: suite (the code that a customer adds to the address, which identifies their parcels), pre-alert (an announced
parcel), unmatched (a parcel without a known owner), ship-out (an outgoing order, which belongs to a higher context).
"""

from haulier.kernel.operations.enums import Module

MODULE = Module.STORAGE
