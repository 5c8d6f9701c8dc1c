"""What the database holds of sites, cabinets, boxes, and of who has which box."""
