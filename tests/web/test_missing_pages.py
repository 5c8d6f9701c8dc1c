"""Unknown addresses outside `/api`: a page for users, an error body for programs."""

from tests.support.app import App
from tests.web.page_client import get_page

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


async def test_browsers_get_a_page_with_a_link_back(app: App) -> None:
    answer = await app.http.get("/nowhere", headers={**BROWSER, "accept-language": "de"})
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert '<html lang="de"' in answer.text
    assert "<title>Seite nicht gefunden" in answer.text
    assert 'href="/"' in answer.text


async def test_programs_get_the_standard_error_body(app: App) -> None:
    answer = await app.http.get("/nowhere", headers={"accept-language": "fr"})
    assert (answer.status_code, answer.json()["code"]) == (404, "ROUTE_NOT_FOUND")
    assert answer.json()["message"] == "Aucun point de terminaison à cette adresse."
    assert answer.headers["content-language"] == "fr"


async def test_a_wrong_method_lists_the_allowed_ones(app: App) -> None:
    answer = await app.http.delete("/llms.txt")
    assert (answer.status_code, answer.json()["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert "GET" in answer.headers["allow"]
    page = await app.http.delete("/llms.txt", headers=BROWSER)
    assert (page.status_code, page.headers["content-type"].split(";")[0]) == (405, "text/html")


async def test_refused_and_missing_pages_link_to_the_users_home_page(app: App) -> None:
    for who, path, status, link in (
        ("driver", "/dispatch", 403, '<a href="/go">Go to “My day”</a>'),
        ("employee", "/nowhere", 404, '<a href="/desk">Go to “Home”</a>'),
        (None, "/nowhere", 404, '<a href="/">Go to “Home”</a>'),
    ):
        page = await get_page(app, path, who, headers=BROWSER)
        assert page.status_code == status
        assert link in page.text


async def test_the_gallery_exists_on_demo_servers_only(app: App) -> None:
    assert (await get_page(app, "/desk/gallery", "admin")).status_code == 404
