"""Orders: what the client promised to deliver.

Words: order (one request to move goods; D delivery, P pickup, P2P from door to door), package, hold, life cycle, step,
rate card, quote, batch, return reason.
"""
