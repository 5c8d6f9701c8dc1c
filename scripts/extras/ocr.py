"""Use the extra `ocr`: a picture of a label is read, its bars and its text, by models that came with the package."""

import sys
import tempfile
import time
from pathlib import Path

from scripts.stranger import LOGIN, serving

WAITS_S = 120

with (
    tempfile.TemporaryDirectory() as name,
    serving(sys.executable, "-m", "haulier", "serve", "--demo", at=Path(name)) as visit,
):
    token = visit.call("user/login", dict(LOGIN))["access_token"]
    order = visit.call("orders?per_page=1", token=token)["orders"][0]
    label = visit.call(f"orders/{order['id']}/label?format=png&piece=1", token=token)
    file = {"media_type": "image/png", "content": label["document"]}
    parsed = visit.call("ocr/labels", {"file": file}, token)["label_parse"]
    ends = time.monotonic() + WAITS_S
    while parsed["state"] == "queued":
        assert time.monotonic() < ends, parsed
        time.sleep(0.2)
        parsed = visit.call(f"ocr/labels/{parsed['id']}", token=token)["label_parse"]
    assert label["data"][0]["tracking_number"] in [bars["text"] for bars in parsed["barcodes"]], parsed
    read = {field["name"]: field["value"] for field in parsed["fields"]}
    assert parsed["engine"] == "ocr", parsed
    assert read["consignee.name"] == order["name"], (read, order)
    visit.stop()
print("a picture of a label was read, its bars and its text")
