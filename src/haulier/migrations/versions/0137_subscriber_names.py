"""Names of subscribers in waiting jobs."""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0137"
down_revision: str | Sequence[str] | None = "0136"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "contract"

RENAMED = {
    "lockers.recipient_returns.jobs.follow_box_of_return": "on_return_box_changed",
    "lockers.recipient_returns.jobs.follow_cancelled_return_order": "on_return_order_cancelled",
    "lockers.sites.jobs.follow_imported_points": "on_points_imported",
    "lockers.sites.jobs.follow_point_of_sites": "on_site_point_changed",
    "marketplace.partners.jobs.tell_partner_of_change": "notify_partner_of_change",
    "orders.delivery_orders.jobs.follow_carriers_of_orders": "on_carrier_scans_of_orders",
    "routes.stops.jobs.learn_where_it_was": "record_stop_location",
    "settlements.pay.jobs.take_back_pay_of_undone_stop": "reverse_pay_of_undone_stop",
    "shipping.labels.jobs.follow_reported_parcels": "on_parcels_reported",
    "shipping.order_shipments.jobs.follow_carrier_scans": "on_carrier_scans",
    "shipping.shipping_orders.jobs.follow_label_of_shipping_order": "on_shipping_order_label_changed",
    "shipping.shipping_orders.jobs.note_failed_label": "on_label_purchase_failed",
    "shipping.shipping_orders.jobs.take_bought_label": "on_label_purchased",
    "storage.shipouts.jobs.follow_label_of_shipout": "on_shipout_label_changed",
    "storage.shipouts.jobs.note_failed_label_of_shipout": "on_shipout_label_failed",
    "storage.shipouts.jobs.take_label_of_shipout": "on_shipout_label_purchased",
}
"""Former names below `haulier.contexts`, with the new names of the functions."""


def upgrade() -> None:
    """Give waiting jobs the new names of their subscribers."""
    _rename({_kind(old): _kind(old.rpartition(".")[0], new) for old, new in RENAMED.items()})


def downgrade() -> None:
    """Restore the former names."""
    _rename({_kind(old.rpartition(".")[0], new): _kind(old) for old, new in RENAMED.items()})


def _kind(*parts: str) -> str:
    return "news:" + ".".join(("haulier.contexts", *parts))


def _rename(kinds: Mapping[str, str]) -> None:
    job = sa.table("job", sa.column("kind", sa.String))
    for old, new in kinds.items():
        op.execute(job.update().where(job.c.kind == old).values(kind=new))
