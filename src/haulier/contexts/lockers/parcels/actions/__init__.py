"""What is done with parcels in lockers."""
