"""Full-text indexes of PostgreSQL hold beginnings of words."""

from collections.abc import Sequence

from alembic import op

revision: str = "0049"
down_revision: str | Sequence[str] | None = "0048"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

SEARCHED = ("address_words", "dataset_record_words", "open_address")


def upgrade() -> None:
    """Take the step."""
    if op.get_bind().dialect.name == "postgresql":
        # Those with beginnings, which have another name, are made after the step (`migrations/env.py`).
        for table in SEARCHED:
            op.execute(f'DROP INDEX IF EXISTS "{table}_full_text"')


def downgrade() -> None:
    """Take it back. The indexes stay; an earlier version makes its own again when it is told to upgrade."""
