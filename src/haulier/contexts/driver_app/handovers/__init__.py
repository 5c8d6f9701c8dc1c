"""Hand-overs: what a driver has to know at a door, and what has to be proved there."""
