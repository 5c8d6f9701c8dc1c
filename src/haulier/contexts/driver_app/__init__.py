"""Driver app: a day's routes, proof of delivery, scans, positions and offers.

Includes an offline queue of device events.
"""
