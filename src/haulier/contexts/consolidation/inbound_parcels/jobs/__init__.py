"""Work on inbound parcels in the background."""
