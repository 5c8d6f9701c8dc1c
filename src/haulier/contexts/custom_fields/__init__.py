"""Custom fields: a client's own fields of orders, packages, customers and drivers.

A *definition* has the name of a field, its values (JSON Schema), and the accounts that see and write it. The *values*
of a record are in one column of its row, `custom_fields_column`. Filterable fields also have a *key*. A new kind of
record takes one line in `ResourceKind` and that column in its table.
"""
