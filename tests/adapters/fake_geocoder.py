"""Local server with the documented responses of Nominatim, Photon and Pelias.

It knows 100 Queen St W, Toronto, by its house number; any other number of Queen Street by the street; the town by its
name.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

HOUSE, STREET, TOWN = (43.6534, -79.3841), (43.6520, -79.3800), (43.70, -79.40)
PATHS = {"/search": "nominatim", "/api": "photon", "/v1/search/structured": "pelias"}


class FakeGeocoder(ThreadingHTTPServer):
    """The server: recorded `asked` parameters, scripted `status`, known `city`."""

    asked: list[dict[str, str]]
    status: int | None = None
    city = "Toronto"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: FakeGeocoder

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        words = {name: values[0] for name, values in parse_qs(url.query).items()}
        self.server.asked.append({**words, "path": url.path, "agent": self.headers["User-Agent"]})
        if self.server.status:
            return self._answer(self.server.status, {}, {"Retry-After": "7"})
        text = " ".join(
            value for name, value in words.items() if name in ("q", "street", "address", "city", "locality")
        )
        kind = (
            "house" if "100 Queen" in text else "street" if "Queen" in text else "city" if "Toronto" in text else None
        )
        return self._answer(200, getattr(self, PATHS[url.path])(kind), {})

    def nominatim(self, kind: str | None) -> Any:
        if kind is None:
            return []
        lat, lon = {"house": HOUSE, "street": STREET, "city": TOWN}[kind]
        parts = {"city": self.server.city, "postcode": "M5H 2N2", "country_code": "ca"}
        parts |= {"house_number": "100", "road": "Queen Street West"} if kind == "house" else {}
        rank = {"house": 30, "street": 26, "city": 16}[kind]
        return [{"lat": str(lat), "lon": str(lon), "place_rank": rank, "addresstype": kind, "address": parts}]

    def photon(self, kind: str | None) -> Any:
        if kind is None:
            return {"type": "FeatureCollection", "features": []}
        properties: dict[str, Any] = {
            "type": kind,
            "countrycode": "CA",
            "city": self.server.city,
            "name": self.server.city,
        }
        properties |= {"housenumber": "100", "street": "Queen Street West"} if kind == "house" else {}
        return self._feature(kind, properties)

    def pelias(self, kind: str | None) -> Any:
        if kind is None:
            return {"type": "FeatureCollection", "features": []}
        layer = {"house": "address", "street": "street", "city": "locality"}[kind]
        properties: dict[str, Any] = {"layer": layer, "match_type": "exact", "locality": self.server.city}
        properties |= {"housenumber": "100", "accuracy": "point"} if kind == "house" else {}
        return self._feature(kind, properties)

    def _feature(self, kind: str, properties: dict[str, Any]) -> Any:
        lat, lng = {"house": HOUSE, "street": STREET, "city": TOWN}[kind]
        point = {"type": "Point", "coordinates": [lng, lat]}
        return {
            "type": "FeatureCollection",
            "features": [{"type": "Feature", "geometry": point, "properties": properties}],
        }

    def _answer(self, status: int, body: Any, headers: dict[str, str]) -> None:
        document = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {
            **headers,
            "Content-Type": "application/json",
            "Content-Length": str(len(document)),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(document)

    def log_message(self, format: str, *args: Any) -> None:
        """Be quiet."""


@contextmanager
def run_geocoder() -> Iterator[FakeGeocoder]:
    """A server that answers until the context closes."""
    with FakeGeocoder(("127.0.0.1", 0), _Handler) as server:
        server.asked = []
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
