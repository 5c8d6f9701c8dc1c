"""What the database holds of packages."""
