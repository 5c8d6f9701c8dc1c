"""The data port: tables, statements, the tenant filter and the unit of work. It knows no driver.

Statements are SQLAlchemy Core; drivers run what this package compiled. The adapters are `haulier.adapters.sqlite` and
`haulier.adapters.postgres`.
"""
