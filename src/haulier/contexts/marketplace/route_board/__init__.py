"""The driver route board: routes that drivers take themselves, first come first served; who is too late can stand by."""
