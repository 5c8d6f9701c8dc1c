"""Resources: answers of read operations at addresses, as visible to the caller."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from haulier.api.mcp.feature_calls import call_operation, may_call, refusal
from haulier.api.mcp.lean_answers import without_nulls
from haulier.api.mcp.request import McpRequest
from haulier.api.mcp.results import UNTRUSTED_META_KEY
from haulier.api.mcp.server_features import FixedResource, ServerFeatures, TemplateResource, uri_template
from haulier.api.mcp.tools import untrusted_paths_of
from haulier.kernel.operations import codec
from haulier.kernel.operations.errors import NOT_FOUND, OperationError
from haulier.kernel.operations.hidden_characters import remove_hidden_from_utf8
from haulier.kernel.pipeline.result import OperationResult
from haulier.kernel.principal import Principal
from haulier.kernel.values.pagination import make_cursor, parse_cursor

RESOURCE_NOT_FOUND = -32002
"""Protocol code for a missing resource, up to 2025-11-25. Later versions use invalid parameters."""
LISTED_PER_PAGE = 100
_NO_MORE_PAGES = 100_000


class FoundResource(NamedTuple):
    """The resource at an address, with the variables of its template."""

    resource: FixedResource
    variables: Mapping[str, str]


class Resources:
    """The resources of one server."""

    def __init__(self, features: ServerFeatures) -> None:
        self._features = features
        self._listed = [template for template in features.templates if template.listing]

    def find(self, uri: str) -> FoundResource | None:
        """Return the resource at an address, or None."""
        for fixed in self._features.resources:
            if fixed.uri == uri:
                return FoundResource(fixed, {})
        for template in self._features.templates:
            variables = uri_template(template.uri).match(uri)
            if variables is not None:
                return FoundResource(template, {name: str(value) for name, value in variables.items()})
        return None

    async def listed(self, request: McpRequest, caller: Principal, cursor: str | None) -> types.ListResourcesResult:
        """Return a page of the caller's resources.

        Fixed resources come first, then guides, then records, newest first. Raises `MCPError` for an invalid cursor.
        """
        shown = [each for each in self._listed if each.listing and may_call(request, caller, each.listing.operation)]
        place, page = _parse_page(request, cursor)
        resources = list(self._fixed(request, caller)) if cursor is None else []
        following = None
        while place < len(shown) and following is None:
            records, is_full = await self._records(request, shown[place], page)
            resources += records
            if is_full and page < _NO_MORE_PAGES:
                following = make_cursor(place, page + 1)
            place, page = place + 1, 1
        return types.ListResourcesResult(resources=resources, next_cursor=following)

    def templates(self, request: McpRequest, caller: Principal) -> types.ListResourceTemplatesResult:
        """Return the templates of the caller's resources."""
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    name=template.name,
                    title=_words(request, template, "title"),
                    uri_template=template.uri,
                    description=_words(request, template, "description"),
                    mime_type=template.mime_type,
                )
                for template in self._features.templates
                if may_call(request, caller, template.operation)
            ]
        )

    async def read(self, request: McpRequest, uri: str, version: str) -> types.ReadResourceResult:
        """Return the contents of a resource.

        Raises `MCPError` if the address does not exist for this caller.
        """
        found = self.find(uri)
        if found is None:
            raise _not_found(request.body(NOT_FOUND()), uri, version)
        result = await self.ask(request, found)
        if result.error is not None:
            if result.error["code"] == NOT_FOUND.code:
                raise _not_found(result.error, uri, version)
            raise refusal(result.error, uri=uri)
        return types.ReadResourceResult(contents=[_contents(request, found.resource, uri, result)])

    async def ask(self, request: McpRequest, found: FoundResource) -> OperationResult:
        """Call the operation behind a resource."""
        return await call_operation(request, found.resource.operation, texts=found.variables)

    def _fixed(self, request: McpRequest, caller: Principal) -> Iterator[types.Resource]:
        for resource in self._features.resources:
            if may_call(request, caller, resource.operation):
                yield types.Resource(
                    name=resource.name,
                    title=_words(request, resource, "title"),
                    uri=resource.uri,
                    description=_words(request, resource, "description"),
                    mime_type=resource.mime_type,
                )

    async def _records(
        self, request: McpRequest, template: TemplateResource, page: int
    ) -> tuple[list[types.Resource], bool]:
        """Return a page of records as resources, and whether there may be more."""
        listing = template.listing
        assert listing is not None
        asked = {"page": page, "per_page": LISTED_PER_PAGE}
        result = await call_operation(request, listing.operation, body=asked)
        if result.error is not None:
            raise refusal(result.error)
        records = getattr(result.answer, listing.records)
        addresses = uri_template(template.uri)
        resources = [
            types.Resource(
                name=str(getattr(record, listing.label) or getattr(record, listing.value)),
                uri=addresses.expand({listing.variable: str(getattr(record, listing.value))}),
                mime_type=template.mime_type,
            )
            for record in records
        ]
        return resources, len(records) == LISTED_PER_PAGE


def resource_bytes(resource: FixedResource, result: OperationResult) -> bytes:
    """Return the content of a resource without nulls and hidden characters."""
    if resource.answer:
        return remove_hidden_from_utf8(str(getattr(result.answer, resource.answer)).encode())
    return remove_hidden_from_utf8(codec.encode_json(without_nulls(result.answer, full_detail=True)))


def _contents(
    request: McpRequest, resource: FixedResource, uri: str, result: OperationResult
) -> types.TextResourceContents:
    operation = request.app.registry.get(resource.operation)
    untrusted = untrusted_paths_of(operation) if operation and not resource.answer else ()
    return types.TextResourceContents(
        uri=uri,
        mime_type=resource.mime_type,
        text=resource_bytes(resource, result).decode(),
        _meta={UNTRUSTED_META_KEY: list(untrusted)} if untrusted else None,
    )


def _words(request: McpRequest, resource: FixedResource, which: str) -> str:
    return request.app.catalogues.translate(request.language, f"mcp.resource.{resource.name}.{which}")


def _parse_page(request: McpRequest, cursor: str | None) -> tuple[int, int]:
    if cursor is None:
        return 0, 1
    try:
        place, page = parse_cursor(cursor, tuple[int, int])
        if place < 0 or not 0 < page <= _NO_MORE_PAGES:
            parse_cursor("", tuple[int, int])
    except OperationError as error:
        raise request.protocol_error(error) from None
    return place, page


def _not_found(error: Mapping[str, Any], uri: str, version: str) -> MCPError:
    code = types.INVALID_PARAMS if version in MODERN_PROTOCOL_VERSIONS else RESOURCE_NOT_FOUND
    return refusal(error, code, uri=uri)
