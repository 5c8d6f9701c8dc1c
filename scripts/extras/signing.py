"""Check of the extra `signing`: issues a document and detects a changed byte."""

import sys
import tempfile
import time
from base64 import b64decode, b64encode
from pathlib import Path

from scripts.stranger import LOGIN, serving

WAITS_S = 60

with (
    tempfile.TemporaryDirectory() as name,
    serving(sys.executable, "-m", "haulier", "serve", "--demo", at=Path(name)) as visit,
):
    token = visit.call("user/login", dict(LOGIN))["access_token"]
    order = visit.call("orders?per_page=1", token=token)["orders"][0]["id"]
    asked = {"kind": "packing_slip", "order_ids": [order]}
    document = visit.call("documents", asked, token)["document"]
    ends = time.monotonic() + WAITS_S
    while document["state"] == "queued":
        assert time.monotonic() < ends, document
        time.sleep(0.2)
        document = visit.call(f"documents/{document['id']}", token=token)["document"]
    assert document["state"] == "issued", document
    pdf = b64decode(visit.call(f"documents/{document['id']}/file", token=token)["content"])
    changed = pdf[:-9] + bytes([pdf[-9] ^ 1]) + pdf[-8:]
    said = [visit.call("documents/verify", {"content": b64encode(file).decode()})["status"] for file in (pdf, changed)]
    assert said == ["genuine", "altered"], said
    visit.stop()
print("document issued and verified, changed byte detected")
