"""Grid cells of open addresses."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0135"
down_revision: str | Sequence[str] | None = "0134"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "expand"


def upgrade() -> None:
    """Take the step. Addresses have no cell until they are imported again."""
    op.add_column("open_address", sa.Column("cell", sa.BigInteger(), nullable=True))
    op.create_index("ix_open_address_cell", "open_address", ["cell"], unique=False)


def downgrade() -> None:
    """Take it back."""
    op.drop_index("ix_open_address_cell", table_name="open_address")
    op.drop_column("open_address", "cell")
