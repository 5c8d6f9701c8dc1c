"""Lockers: cabinets of boxes that people put things in and take things out of, and the devices that move their doors.

Words: site (a place with cabinets), cabinet (a piece of furniture with a device in it), box (one compartment with a door),
parcel (who has a box, from when to when), command (what a device is asked to do, once).
"""
