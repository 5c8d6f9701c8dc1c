"""Selection of a few kinds of cartons for many orders: engine, bound and checker."""
