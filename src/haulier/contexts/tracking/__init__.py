"""Tracking: timelines of parcels.

Every parcel has one timeline; events of own delivery, third parties and carriers merge into it in time order. Terms:
subject, event, status code, phase, exception, terminal, source, projection, provider.
"""
