"""Customers' address books."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision: str = "0041"
down_revision: str | Sequence[str] | None = "0040"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
REPLACED = {
    "ix_address_place": (["client_id", "place_key", "name_key"], ["customer_id"], "deleted_at IS NULL", False),
    "uq_address_default_sender": (["client_id"], ["customer_id"], "default_sender AND deleted_at IS NULL", True),
    "uq_address_reference": (["client_id"], ["customer_id", "reference"], "deleted_at IS NULL", True),
}
"""Indexes, by name: columns before, columns now besides them, condition, whether unique."""
BEFORE = {
    "uq_address_default_sender": ["client_id", "default_sender"],
    "uq_address_reference": ["client_id", "reference"],
}


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("address", schema=None) as batch_op:
        batch_op.add_column(sa.Column("customer_id", sa.BigInteger(), server_default="0", nullable=False))
        for name, (first, more, condition, unique) in REPLACED.items():
            batch_op.drop_index(name, **_where(condition))
            batch_op.create_index(name, [*first, *more], unique=unique, **_where(condition))
        customers = ["client_id", "customer_id", "name", "id"]
        batch_op.create_index("ix_address_customer", customers, unique=False, **_where("customer_id <> 0"))


def downgrade() -> None:
    """Take it back: addresses of customers leave the book, or they would be the business's."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("SELECT set_config('haulier.client', '*', true)")
    op.execute(
        "UPDATE address SET deleted_at = updated_at, default_sender = false WHERE customer_id <> 0 AND deleted_at IS NULL"
    )
    with op.batch_alter_table("address", schema=None) as batch_op:
        batch_op.drop_index("ix_address_customer", **_where("customer_id <> 0"))
        for name, (_, _, condition, _) in REPLACED.items():
            batch_op.drop_index(name, **_where(condition))
    with op.batch_alter_table("address", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.drop_column("customer_id")
    for name, (first, _, condition, unique) in REPLACED.items():
        op.create_index(name, "address", BEFORE.get(name, first), unique=unique, **_where(condition))


def _where(condition: str) -> Any:
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}
