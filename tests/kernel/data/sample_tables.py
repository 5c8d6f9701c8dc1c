"""Tables and rows of two clients for tests of the data port."""

from sqlalchemy import Column, Integer, MetaData, String, UniqueConstraint

from haulier.kernel.data.tables import Id, Json, UTCDateTime, metadata, shared_table, tenant_table
from haulier.kernel.data.unit_of_work import Database

sample_metadata = MetaData(naming_convention=metadata.naming_convention)

crates = tenant_table(
    "test_crate",
    Column("name", String(20), nullable=False),
    Column("weight_g", Integer, nullable=False, default=100),
    Column("packed_at", UTCDateTime),
    Column("notes", Json),
    UniqueConstraint("client_id", "name"),
    metadata=sample_metadata,
)
pieces = tenant_table(
    "test_piece",
    Column("crate_id", Id, index=True),
    Column("name", String(20), nullable=False),
    Column("amount", Integer, nullable=False, default=lambda: 1),
    metadata=sample_metadata,
)
labels = tenant_table("test_label", Column("piece_id", Id), Column("text", String(20)), metadata=sample_metadata)
zones = shared_table("test_zone", Column("name", String(20), unique=True), metadata=sample_metadata)

OURS, THEIRS = 1, 2


async def fill_tables(database: Database) -> None:
    """Insert two crates per client; the first has two pieces, one of them labelled.

    Names and numbers overlap between the clients.
    """
    for client in (OURS, THEIRS):
        async with database.write(client) as work:
            full, _ = await work.insert_many(crates, [{"name": "full"}, {"name": "empty"}])
            rows = [{"crate_id": full, "name": f"{name}{client}"} for name in ("nut", "bolt")]
            first, _ = await work.insert_many(pieces, rows)
            await work.insert(labels, piece_id=first, text=f"label{client}")
            # and a piece that points into the other client's crate
            await work.insert(pieces, crate_id=3 if client == OURS else 1, name=f"stray{client}")
