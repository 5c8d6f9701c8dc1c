"""Full-text indexes of SQLite hold beginnings of words of up to eight letters."""

from collections.abc import Sequence

from alembic import op

revision: str = "0053"
down_revision: str | Sequence[str] | None = "0052"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

SEARCHED = ("address_words", "dataset_record_words", "open_address")


def upgrade() -> None:
    """Take the step. The indexes are made anew after it (`migrations/env.py`)."""
    if op.get_bind().dialect.name == "sqlite":
        for table in SEARCHED:
            for event in ("insert", "delete", "update"):
                op.execute(f'DROP TRIGGER IF EXISTS "{table}_full_text_{event}"')
            op.execute(f'DROP TABLE IF EXISTS "{table}_full_text"')


def downgrade() -> None:
    """Take it back. The indexes stay: an earlier version reads them, too."""
