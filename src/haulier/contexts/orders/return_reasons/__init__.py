"""Return reasons: the client's list of why parcels come back."""
