"""Custom fields: what a client wants to know of its orders, packages, customers and drivers beyond what the platform asks.

A *definition* says what a field is called, which values it takes (JSON Schema), and who sees and writes it. The *values* of a
record stand in one column of the record's own row, `custom_fields_column`; of fields that lists are filtered by, a *key* stands
beside it. A further kind of record is one line in `ResourceKind` and that column in its table.
"""
