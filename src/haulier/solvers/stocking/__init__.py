"""Which few kinds of cartons suffice for many orders: engine, bound and an independent check. Knows boxes and numbers alone."""
