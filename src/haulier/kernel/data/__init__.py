"""The data port: tables, statements, the tenant filter and the unit of work.

Statements are SQLAlchemy Core, compiled here and run by the drivers in `haulier.adapters.sqlite` and
`haulier.adapters.postgres`. This package imports no driver.
"""
