"""Asking the GraphQL endpoint in a test, without a network."""

from typing import Any

import httpx

from haulier.api.graphql.app import GRAPHQL_TYPE, graphql_app
from haulier.kernel.application import Application


class GraphQLClient:
    """The endpoint over a house; callers are named by their token."""

    def __init__(self, application: Application) -> None:
        self.app = graphql_app(application)
        transport = httpx.ASGITransport(app=self.app)
        self.http = httpx.AsyncClient(transport=transport, base_url="http://test")

    async def ask(self, query: str, who: str | None = "admin", headers: Any = None, **body: Any) -> httpx.Response:
        """POST a document, as one who accepts GraphQL's own media type."""
        given = {"accept": GRAPHQL_TYPE, **({"authorization": f"Bearer {who}"} if who else {}), **(headers or {})}
        return await self.http.post("/graphql", json={"query": query, **body}, headers=given)

    async def data(self, query: str, who: str | None = "admin", **words: Any) -> Any:
        """The data of a document that must succeed."""
        answer = (await self.ask(query, who, **words)).json()
        assert "errors" not in answer, answer
        return answer["data"]

    async def error(self, query: str, who: str | None = "admin", **words: Any) -> dict[str, Any]:
        """The only error of a document."""
        answer = (await self.ask(query, who, **words)).json()
        (error,) = answer["errors"]
        return error


def error_code(error: dict[str, Any]) -> str:
    return error["extensions"]["code"]
