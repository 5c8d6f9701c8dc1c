"""Full-text indexes of PostgreSQL hold beginnings of words; sites of lockers are at points of interest."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0049"
down_revision: str | Sequence[str] | None = "0048"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

SEARCHED = ("address_words", "dataset_record_words", "open_address")


def upgrade() -> None:
    """Take the step."""
    with op.batch_alter_table("locker_site", schema=None) as batch_op:
        batch_op.add_column(sa.Column("point_of_interest_id", tables.Id, nullable=True))
        batch_op.create_index("ix_locker_site_point_of_interest", ["client_id", "point_of_interest_id"], unique=False)
    if op.get_bind().dialect.name == "postgresql":
        # Those with beginnings, which have another name, are made after the step (`migrations/env.py`).
        for table in SEARCHED:
            op.execute(f'DROP INDEX IF EXISTS "{table}_full_text"')


def downgrade() -> None:
    """Take it back. The indexes stay; an earlier version makes its own again when it is told to upgrade."""
    with op.batch_alter_table("locker_site", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.drop_index("ix_locker_site_point_of_interest")
        batch_op.drop_column("point_of_interest_id")
