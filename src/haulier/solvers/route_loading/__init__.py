"""Routing with loading constraints: boxes must fit at departure and at every stop.

It considers boxes, vehicles and stops, but no orders, drivers or businesses.
"""
