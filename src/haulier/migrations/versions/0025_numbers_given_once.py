"""Numbers of deleted stops and events of drivers are not given again on SQLite: two copied tables had forgotten that."""

from collections.abc import Sequence

from alembic import op

revision: str = "0025"
down_revision: str | Sequence[str] | None = "0024"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Take the step: the tables are copied, and count on from their highest number."""
    if op.get_bind().dialect.name == "sqlite":
        for table in ("rider_event", "route_stop"):
            with op.batch_alter_table(table, recreate="always", table_kwargs={"sqlite_autoincrement": True}):
                pass


def downgrade() -> None:
    """Take it back: earlier versions work with these tables as well."""
