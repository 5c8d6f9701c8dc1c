"""Several nodes over one PostgreSQL, while processes are killed, and what has to hold all the same."""
