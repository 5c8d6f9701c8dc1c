"""The life of an inbound parcel, and what decides whose it is."""
