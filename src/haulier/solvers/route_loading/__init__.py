"""Routes that can be loaded: a plan of routes is kept only as far as the vehicles take its boxes, at departure and on the way.

Knows boxes, vehicles and stops; nothing of orders, drivers or businesses.
"""
