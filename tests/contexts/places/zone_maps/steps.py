"""Steps of the tests of zone maps."""

from typing import Any

from tests.contexts.places.zone_makers import make_square
from tests.support.app import App


async def make_map(app: App, name: str = "Layer") -> int:
    return (await app.answer("admin", "create_zone_map", {"name": name})).zone_map.id


async def put(app: App, zone_map_id: int, code: str, **words: Any) -> Any:
    asked = {"zone_map_id": zone_map_id, "code": code, "name": code, "geometry": make_square(-79.4, 43.6), **words}
    return (await app.answer("admin", "put_zone", asked)).zone


async def publish(app: App, zone_map_id: int) -> Any:
    return (await app.answer("admin", "publish_zone_map", {"zone_map_id": zone_map_id})).zone_map
