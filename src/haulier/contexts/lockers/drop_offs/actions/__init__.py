"""What is done with parcels that senders hand in."""
