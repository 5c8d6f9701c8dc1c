"""Searches for good plans. Each implements `haulier.solvers.routing.engine.SearchEngine`."""
