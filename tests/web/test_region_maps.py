"""Maps of installed regions are served as byte ranges of one file."""

from pathlib import Path

from tests.support.app import make_app
from tests.support.small_maps import write_map

MAP = "/maps/old-town.pmtiles"


async def test_the_list_describes_each_region(database_url: str, tmp_path: Path) -> None:
    write_map(tmp_path / "old-town.pmtiles")
    async with make_app(database_url, regions=str(tmp_path)) as app:
        answer = await app.http.get("/maps/regions.json")
        (region,) = answer.json()["regions"]
        map_of_url = await app.http.get(region["url"])
    assert {name: region[name] for name in ("name", "title", "bounds", "center", "zooms", "attribution")} == {
        "name": "old-town",
        "title": "Old Town",
        "bounds": [24.9, 60.1, 25.0, 60.2],
        "center": [24.95, 60.15],
        "zooms": [3, 15],
        "attribution": "© mappers",
    }
    assert map_of_url.headers["cache-control"] == "public, max-age=31536000, immutable"


async def test_without_regions_the_list_is_empty(database_url: str, tmp_path: Path) -> None:
    async with make_app(database_url, regions=str(tmp_path / "missing")) as app:
        assert (await app.http.get("/maps/regions.json")).json() == {"regions": []}
        assert (await app.http.get(MAP)).status_code == 404


async def test_a_range_request_returns_its_bytes(database_url: str, tmp_path: Path) -> None:
    content = write_map(tmp_path / "old-town.pmtiles")
    size = len(content)
    async with make_app(database_url, regions=str(tmp_path)) as app:
        for asked, start, stop in (("0-6", 0, 7), ("127-", 127, size), ("-5", size - 5, size), ("3-99999", 3, size)):
            answer = await app.http.get(MAP, headers={"Range": f"bytes={asked}"})
            assert (answer.status_code, answer.content) == (206, content[start:stop])
            assert answer.headers["content-range"] == f"bytes {start}-{stop - 1}/{size}"
            assert answer.headers["content-length"] == str(stop - start)


async def test_a_range_beyond_the_end_is_refused(database_url: str, tmp_path: Path) -> None:
    size = len(write_map(tmp_path / "old-town.pmtiles"))
    async with make_app(database_url, regions=str(tmp_path)) as app:
        answer = await app.http.get(MAP, headers={"Range": f"bytes={size}-"})
    assert (answer.status_code, answer.headers["content-range"]) == (416, f"bytes */{size}")


async def test_malformed_and_multiple_ranges_return_the_whole_file(database_url: str, tmp_path: Path) -> None:
    content = write_map(tmp_path / "old-town.pmtiles")
    async with make_app(database_url, regions=str(tmp_path)) as app:
        for asked in ("bytes=0-1,3-4", "bytes=x-1", "lines=0-1", "bytes=5-2", "bytes=-"):
            answer = await app.http.get(MAP, headers={"Range": asked})
            assert (answer.status_code, answer.content) == (200, content)


async def test_head_returns_only_headers(database_url: str, tmp_path: Path) -> None:
    size = len(write_map(tmp_path / "old-town.pmtiles"))
    async with make_app(database_url, regions=str(tmp_path)) as app:
        answer = await app.http.head(MAP)
    assert (answer.status_code, answer.content, answer.headers["content-length"]) == (200, b"", str(size))
    assert answer.headers["accept-ranges"] == "bytes"
    assert answer.headers["content-type"] == "application/vnd.pmtiles"


async def test_an_unchanged_map_returns_304(database_url: str, tmp_path: Path) -> None:
    write_map(tmp_path / "old-town.pmtiles")
    async with make_app(database_url, regions=str(tmp_path)) as app:
        tag = (await app.http.get(MAP)).headers["etag"]
        again = await app.http.get(MAP, headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")


async def test_a_replaced_map_has_another_etag_and_url(database_url: str, tmp_path: Path) -> None:
    write_map(tmp_path / "old-town.pmtiles")
    async with make_app(database_url, regions=str(tmp_path)) as app:
        tag = (await app.http.get(MAP)).headers["etag"]
        (before,) = (await app.http.get("/maps/regions.json")).json()["regions"]
        content = write_map(tmp_path / "old-town.pmtiles", tiles=b"other tiles")
        partial = await app.http.get(before["url"], headers={"Range": "bytes=0-6", "If-Range": tag})
        (after,) = (await app.http.get("/maps/regions.json")).json()["regions"]
    assert (partial.status_code, partial.content) == (200, content)
    assert partial.headers["cache-control"] == "public, no-cache"
    assert after["url"] != before["url"]


async def test_names_cannot_leave_the_folder(database_url: str, tmp_path: Path) -> None:
    write_map(tmp_path / "secret.pmtiles")
    async with make_app(database_url, regions=str(tmp_path / "regions")) as app:
        for path in ("/maps/..%2Fsecret.pmtiles", "/maps/%2e%2e%2fsecret.pmtiles", "/maps/Secret.pmtiles"):
            assert (await app.http.get(path)).status_code == 404


async def test_other_files_are_not_listed(database_url: str, tmp_path: Path) -> None:
    (tmp_path / "broken.pmtiles").write_bytes(b"PMTiles\x03 and no more")
    write_map(tmp_path / "pictures.pmtiles", tile_type=2)
    async with make_app(database_url, regions=str(tmp_path)) as app:
        assert (await app.http.get("/maps/regions.json")).json() == {"regions": []}
