"""Use the extra `barcodes`: of a label's picture its bars are read, and it is said plainly that its text is not."""

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
    assert parsed["engine"] == "barcodes", parsed
    assert parsed["notice"], parsed
    visit.stop()
print("the bars of a label were read, and nothing else was claimed")
