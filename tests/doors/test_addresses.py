"""Doors at one address answer there, with and without a slash at the end."""

from tests.support.app import App


async def test_a_slash_at_the_end_of_an_address_leads_to_the_same_door(sqlite_app: App) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for path, asked in (("/mcp", ping), ("/api/mcp/developer", ping), ("/graphql", {"query": "{__typename}"})):
        headers = {"accept": "application/json, text/event-stream"}
        answers = [await sqlite_app.http.post(address, json=asked, headers=headers) for address in (path, f"{path}/")]
        assert [answer.status_code for answer in answers] == [200, 200], path
        assert answers[0].json() == answers[1].json()
