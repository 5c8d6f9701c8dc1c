"""Writing inbound parcels."""
