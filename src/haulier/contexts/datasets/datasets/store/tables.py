"""The tables of datasets, their groups and versions."""

from sqlalchemy import BigInteger, Column, Integer, String, UniqueConstraint

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.tables import Json, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.operations.fields import NAME_MAX, NOTE_MAX

groups = tenant_table(
    "dataset_group",
    Column("name", String(NAME_MAX), nullable=False),
    Column("description", String(NOTE_MAX)),
    Column("readers", Json, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "name"),
)
datasets = tenant_table(
    "dataset",
    Column("name", String(NAME_MAX), nullable=False),
    Column("description", String(NOTE_MAX)),
    Column("group_id", BigInteger),
    Column("record_schema", Json, nullable=False),
    Column("slots", Json, nullable=False),
    Column("key_field", String(64)),
    Column("address_fields", Json, nullable=False),
    Column("address_country", String(2)),
    Column("version", Integer, nullable=False),
    Column("record_count", BigInteger, nullable=False),
    Column("unready", Json, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    Column("deleted_at", UTCDateTime),
)
partial_unique_index("uq_dataset_name", "deleted_at IS NULL", datasets.c.name)
versions = tenant_table(
    "dataset_version",
    Column("dataset_id", BigInteger, nullable=False),
    Column("version", Integer, nullable=False),
    Column("record_schema", Json, nullable=False),
    Column("slots", Json, nullable=False),
    Column("address_fields", Json, nullable=False),
    Column("written_at", UTCDateTime, nullable=False),
    Column("written_by", BigInteger),
    UniqueConstraint("client_id", "dataset_id", "version"),
)
plain_columns(groups, "name", "description", "readers")
plain_columns(
    datasets,
    "name",
    "description",
    "record_schema",
    "slots",
    "key_field",
    "address_fields",
    "address_country",
    "unready",
)
plain_columns(versions, "record_schema", "slots", "address_fields")
