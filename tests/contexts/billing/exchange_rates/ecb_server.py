"""Local server with the documented files of the European Central Bank."""

import io
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from zipfile import ZIP_DEFLATED, ZipFile

DAILY_CSV = "Date, USD, JPY, CAD, \n27 November 2026, 1.0856, 163.21, 1.5203, \n"
DAILY_XML = """<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01"
    xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
  <Cube>
    <Cube time='2026-11-27'>
      <Cube currency='USD' rate='1.0856'/>
      <Cube currency='JPY' rate='163.21'/>
      <Cube currency='CAD' rate='1.5203'/>
    </Cube>
  </Cube>
</gesmes:Envelope>
"""


def zipped(text: str, name: str = "eurofxref.csv") -> bytes:
    """Return a file in a ZIP archive."""
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return packed.getvalue()


FILES = {
    "/stats/eurofxref/eurofxref-daily.xml": DAILY_XML.encode(),
    "/stats/eurofxref/eurofxref.zip": zipped(DAILY_CSV),
    "/broken.xml": b"<html>Service unavailable</html>",
}


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        content = FILES.get(self.path)
        self.send_response(200 if content else 503)
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, format: str, *args: object) -> None:
        """Keep test output quiet."""


@contextmanager
def run_ecb_server() -> Generator[str]:
    """Run the server and yield its URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
