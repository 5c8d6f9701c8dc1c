"""Orders are counted by driver record, with or without an account."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0105"
down_revision: str | Sequence[str] | None = "0104"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

_DRIVER_OF = "(SELECT driver.id FROM driver WHERE driver.client_id = {table}.client_id AND driver.user_id = {column})"
_USER_OF = "(SELECT driver.user_id FROM driver WHERE driver.client_id = {table}.client_id AND driver.id = {column})"
_LAST_ROUTE = (
    "(SELECT route.driver_id FROM route_stop JOIN route ON route.id = route_stop.route_id"
    " AND route.client_id = route_stop.client_id WHERE route_stop.client_id = delivery_order.client_id"
    " AND route_stop.order_id = delivery_order.id AND route_stop.on_route ORDER BY route_stop.id DESC LIMIT 1)"
)


def upgrade() -> None:
    """Count each order for the driver of its route, and let the sums follow."""
    with op.batch_alter_table("delivery_order", schema=None) as batch_op:
        batch_op.add_column(sa.Column("route_driver_id", sa.BigInteger(), nullable=True))
    _see_every_client()
    _rename_drivers(_DRIVER_OF)
    driver = _DRIVER_OF.format(table="delivery_order", column="delivery_order.driver_id")
    op.execute(f"UPDATE delivery_order SET route_driver_id = {driver} WHERE driver_id IS NOT NULL")
    _count_for_drivers_without_account()


def downgrade() -> None:
    """Count each order for the account of its driver."""
    _see_every_client()
    _rename_drivers(_USER_OF)
    with op.batch_alter_table("delivery_order", schema=None) as batch_op:
        batch_op.drop_column("route_driver_id")


def _rename_drivers(name: str) -> None:
    """Replace the numbers of drivers in failed attempts and sums. Below zero first, as the numbers of the two overlap."""
    of_change = name.format(table="order_change", column="order_change.driver_id")
    op.execute(f"UPDATE order_change SET driver_id = {of_change} WHERE driver_id IS NOT NULL")
    of_entry = name.format(table="sum_entry", column="sum_entry.driver_id")
    op.execute(f"UPDATE sum_entry SET driver_id = COALESCE({of_entry}, 0) WHERE driver_id > 0 AND measure <> 'pay'")
    of_sum = name.format(table="daily_sum", column="daily_sum.subject_id")
    some = "dimension = 'driver' AND measure <> 'pay'"
    op.execute(f"UPDATE daily_sum SET subject_id = -{of_sum} WHERE {some} AND subject_id > 0 AND {of_sum} IS NOT NULL")
    op.execute(f"UPDATE daily_sum SET subject_id = -subject_id WHERE {some} AND subject_id < 0")


def _count_for_drivers_without_account() -> None:
    """Move what was counted for nobody to the driver of the route: one entry takes it away, another adds it."""
    op.execute(f"UPDATE delivery_order SET route_driver_id = {_LAST_ROUTE} WHERE driver_id IS NULL")
    for driver, sign in (("0", "-"), ("route_driver_id", "")):
        op.execute(
            "INSERT INTO sum_entry (client_id, day, customer_id, driver_id, contractor_id, measure, status, reason,"
            " currency, count, judged, on_time, minor) SELECT client_id, counted_day, COALESCE(customer_id, 0),"
            f" {driver}, COALESCE(contractor_id, 0), 'orders', CAST(status AS VARCHAR), '',"
            " CASE WHEN price ->> 'total' IS NULL THEN '' ELSE COALESCE(price ->> 'currency', '') END,"
            f" {sign}1, {sign}(CASE WHEN on_time IS NULL THEN 0 ELSE 1 END),"
            f" {sign}(CASE WHEN on_time THEN 1 ELSE 0 END), {sign}COALESCE(CAST(price ->> 'total' AS BIGINT), 0)"
            " FROM delivery_order WHERE counted_day IS NOT NULL AND driver_id IS NULL AND route_driver_id IS NOT NULL"
        )


def _see_every_client() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("SELECT set_config('haulier.client', '*', true)")
