"""Records for other families."""

from haulier.contexts.datasets.datasets.queries import DatasetRow
from haulier.contexts.datasets.records.rules import Shape, make_shape


def shape_of(row: DatasetRow) -> Shape:
    """Return the shape of a dataset's records."""
    return make_shape(row.id, row.record_schema, row.version, row.slots, row.key_field, row.address_fields)
