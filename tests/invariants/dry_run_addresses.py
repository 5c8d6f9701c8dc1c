"""Address book steps of the dry-run day."""

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from tests.invariants.dry_run_order_stock import order_stock_steps
from tests.invariants.dry_run_steps import THERE, Step, step

ADDRESS_FILE = b64encode(b"name,address,city,country\nAda,100 Queen St W,Toronto,CA\n").decode()


def addresses() -> Iterator[Step]:
    """Yield steps about two addresses, an import, and an order placed by hand."""
    ada: dict[str, Any] = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}
    yield step("admin", "create_address", {"address": "address.id"}, **ada, gate_code="1#")
    yield step("admin", "create_address", {"twin": "address.id"}, **ada)
    yield step("admin", "update_address", address_id="$address", phone="+14165550100")
    yield step("admin", "merge_addresses", address_id="$address", duplicate_ids=["$twin"])
    yield step("admin", "import_addresses", {"import": "import_id"}, document=ADDRESS_FILE)
    yield step("admin", "cancel_address_import", import_id="$import")
    yield step("admin", "delete_address", address_id="$address")
    place = {name: THERE[name] for name in ("name", "address", "city", "country")}
    yield step("admin", "create_order", {"unplaced": "order.id"}, consignee=place, order_ref="unplaced")
    yield step("admin", "issue_document", kind="packing_slip", order_ids=["$unplaced"])
    yield step("admin", "locate_order", order_id="$unplaced")
    yield step("admin", "set_order_location", order_id="$unplaced", lat=43.65, lng=-79.38)
    yield from order_stock_steps()
