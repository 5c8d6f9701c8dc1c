"""The driver route board: routes that drivers take themselves, first come, first served. Other drivers can stand by."""
