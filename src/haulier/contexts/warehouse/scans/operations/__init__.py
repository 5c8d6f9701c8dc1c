"""What people ask of scans."""
