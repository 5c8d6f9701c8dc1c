"""What the database holds of scans."""
