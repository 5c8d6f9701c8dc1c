"""Lockers: compartments for parcels, and the devices that open their doors.

Terms: site (a place with lockers), cabinet (a locker with a device), box (a compartment with a door), parcel (the
occupant of a box for a period), command (a one-time order to a device).
"""

from haulier.kernel.operations.enums import Module

MODULE = Module.LOCKERS
