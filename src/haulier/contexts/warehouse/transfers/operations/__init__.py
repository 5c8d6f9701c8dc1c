"""What people ask of transfers."""
