"""Dispatch: what office staff see of a day: the board, and the monitoring of drivers and routes on the road."""
