"""Devices know the site of their cabinet, so that a site's devices are found at once."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

from haulier.kernel.data import tables

revision: str = "0071"
down_revision: str | Sequence[str] | None = "0070"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("SELECT set_config('haulier.client', '*', true)")
    with op.batch_alter_table("device", schema=None) as batch_op:
        batch_op.add_column(sa.Column("site_id", tables.Id, nullable=True))
        batch_op.create_index("ix_device_site", ["client_id", "site_id"])
    op.execute(
        "UPDATE device SET site_id = (SELECT locker_cabinet.site_id FROM locker_cabinet"
        " WHERE locker_cabinet.client_id = device.client_id AND locker_cabinet.device_id = device.id)"
    )


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("device", schema=None, table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.drop_index("ix_device_site")
        batch_op.drop_column("site_id")
