"""A valid request for each operation on addresses and places."""

from base64 import b64encode

FILE = b64encode(b"name,address,city,country\nAda,100 Queen St W,Toronto,CA\n").decode()
ADDRESS = {"name": "Ada Lovelace", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}
EXAMPLES: dict[str, dict[str, object]] = {
    "list_addresses": {"search": "queen toronto"},
    "get_address": {"address_id": "$address_id"},
    "get_default_sender": {},
    "create_address": ADDRESS,
    "update_address": {"address_id": "$address_id", "phone": "+14165550100"},
    "delete_address": {"address_id": "$address_id"},
    "export_addresses": {"country": "CA"},
    "search_address": {"search": "queen tor"},
    "find_nearest_address": {"lat": 43.6532, "lng": -79.3832},
    "list_duplicate_addresses": {},
    "merge_addresses": {"address_id": "$address_id", "duplicate_ids": ["$duplicate_id"]},
    "import_addresses": {"document": FILE},
    "get_address_import": {"import_id": "$import_id"},
    "cancel_address_import": {"import_id": "$import_id"},
}
