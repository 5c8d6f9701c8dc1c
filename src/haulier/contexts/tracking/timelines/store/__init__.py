"""The SQL of timelines: subjects, the numbers that others give them, and events, which are only ever added."""
