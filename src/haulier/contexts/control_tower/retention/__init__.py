"""Retention: storage times of personal data, and the daily deletion.

Terms: kind (of record, `RecordKind`), rule (of a table, `RetentionRule`), due (older than the storage time of its
kind).
"""

from haulier.kernel.operations.enums import Area

AREA = Area.PRIVACY
