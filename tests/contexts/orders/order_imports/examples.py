"""A valid request for each operation on order imports."""

from base64 import b64encode

FILE = b64encode(b"name,address,city,country\nAda,100 Queen St W,Toronto,CA\n").decode()
EXAMPLES: dict[str, dict[str, object]] = {
    "check_order_file": {"document": FILE},
    "import_orders": {"document": FILE},
}
