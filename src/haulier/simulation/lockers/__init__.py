"""A town of simulated cabinets against a running server: only the hardware is made up, every frame is a real one."""
