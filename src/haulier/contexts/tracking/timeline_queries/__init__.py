"""Timelines in the protocol's own words and in fourteen other forms: one, many, or as a list of events that goes on live."""
