"""Pure optimisation: records in, records out.

Solvers know nothing about orders, tenants, databases or the current time.
"""
