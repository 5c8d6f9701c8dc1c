"""Dispatch: who drives what, when.

A *driver* belongs to the client or to a contractor. A *route* is a driver's ordered *stops* on a day from a *depot*. An
*assignment* gives an order to a contractor; the *planning pool* of a planner is what they may put on a route.
"""
