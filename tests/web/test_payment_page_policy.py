"""The payment page alone allows scripts, frames and calls of the payment provider."""

from tests.support.app import App


async def test_the_payment_page_states_each_directive_once_and_allows_the_provider(app: App) -> None:
    policy = (await app.http.get("/pay")).headers["Content-Security-Policy"]
    directives = [part.strip().partition(" ") for part in policy.split(";")]
    names = [name for name, _, _ in directives]
    assert sorted(set(names)) == sorted(names), "browsers ignore the second of two"
    allowed = {name: sources for name, _, sources in directives}
    assert allowed["connect-src"] == allowed["script-src"] == allowed["frame-src"]
    assert len(allowed["connect-src"].split()) > 1
