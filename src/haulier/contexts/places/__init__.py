"""Where things are: addresses, points of interest, zones on maps."""
