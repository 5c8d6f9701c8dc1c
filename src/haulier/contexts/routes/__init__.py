"""Routes: which contractor holds an order, which pool it is planned from, and which driver visits which stop when.

A *route* is a driver's ordered *stops* on a day from a *depot*. An *assignment* gives an order to a contractor; the *planning
pool* of a planner is what they may put on a route.
"""
