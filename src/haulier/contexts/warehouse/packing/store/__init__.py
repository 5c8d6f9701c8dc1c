"""What the database holds of packing plans."""
