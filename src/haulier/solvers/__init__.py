"""Pure mathematics: records in, records out. Solvers know nothing of orders, clients, databases or the time of day."""
