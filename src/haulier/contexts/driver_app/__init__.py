"""The driver's app: a day's routes, proof at the door, scans, positions, an offline queue, and orders offered on demand."""
