"""Routes: assignments to contractors, planning pools, and drivers' stops.

A *route* is a driver's ordered *stops* on a day from a *depot*. An *assignment* gives an order to a contractor. The
*planning pool* of a planner contains the orders that they may put on a route.
"""
