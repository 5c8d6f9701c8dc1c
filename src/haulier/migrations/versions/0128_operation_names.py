"""Names of operations in proposed writes."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0128"
down_revision: str | Sequence[str] | None = "0127"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
phase: str = "contract"

RENAMED = {
    "place_order": "set_order_location",
    "give_suite": "assign_suite",
    "take_suite_back": "release_suite",
    "apply_to_drive": "submit_driver_application",
    "instruct_delivery": "set_delivery_instruction",
    "take_back_partner_order": "recall_partner_order",
    "take_shop_item_out": "withdraw_shop_item",
    "change_shared_numbers": "update_shared_numbers",
    "change_return_reason": "update_return_reason",
    "change_device_stock": "adjust_device_stock",
    "set_house_tariff": "set_carrier_tariff",
    "choose_first_view": "set_default_view",
    "fill_shop_box": "restock_shop_box",
    "begin_return": "create_delivery_return",
    "begin_linked_payment": "start_linked_payment",
    "begin_linked_shop_payment": "start_linked_shop_payment",
}
"""New names of write operations; docs/reference/renames.md lists them."""


def upgrade() -> None:
    """Give proposed writes the new names of their operations."""
    _rename(RENAMED)


def downgrade() -> None:
    """Restore the former names."""
    _rename({new: old for old, new in RENAMED.items()})


def _rename(names: dict[str, str]) -> None:
    writes = sa.table("pending_write", sa.column("operation", sa.String))
    for old, new in names.items():
        op.execute(writes.update().where(writes.c.operation == old).values(operation=new))
