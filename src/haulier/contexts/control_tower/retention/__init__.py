"""Retention: how long a client keeps what is held of people, and the daily round that deletes and erases the rest.

Words: kind (of record, `RecordKind`), rule (of a table, `RetentionRule`), due (older than its kind is kept).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.PRIVACY
