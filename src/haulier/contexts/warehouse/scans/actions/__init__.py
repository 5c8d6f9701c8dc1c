"""What scans do."""
