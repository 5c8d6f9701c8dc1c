"""Several nodes over one PostgreSQL while processes are killed, with invariants."""
