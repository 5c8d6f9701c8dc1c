"""Values of custom fields: validation, storage in the record's row, and filters.

Also visibility and erasure.
"""
