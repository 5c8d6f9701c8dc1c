"""Luggage names driver records."""

from collections.abc import Sequence

from alembic import op

revision: str = "0098"
down_revision: str | Sequence[str] | None = "0097"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Replace the ids of users by those of their driver records."""
    _see_every_client()
    op.execute(
        "UPDATE luggage_booking SET driver_id = (SELECT driver.id FROM driver"
        " WHERE driver.client_id = luggage_booking.client_id AND driver.user_id = luggage_booking.driver_id)"
        " WHERE driver_id IS NOT NULL"
    )


def downgrade() -> None:
    """Replace the ids of driver records by those of their users."""
    _see_every_client()
    op.execute(
        "UPDATE luggage_booking SET driver_id = (SELECT driver.user_id FROM driver"
        " WHERE driver.client_id = luggage_booking.client_id AND driver.id = luggage_booking.driver_id)"
        " WHERE driver_id IS NOT NULL"
    )


def _see_every_client() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("SELECT set_config('haulier.client', '*', true)")
