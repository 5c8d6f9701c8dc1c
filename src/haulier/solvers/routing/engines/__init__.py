"""Search engines; each implements `haulier.solvers.routing.engine.SearchEngine`."""
