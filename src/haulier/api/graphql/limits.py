"""Limits for the depth and cost of a document."""

from functools import cache
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
)

from haulier.kernel.operations.declaration import Operation
from haulier.kernel.values.pagination import MAX_PER_PAGE, PageRequest

MAX_DEPTH = 12
MAX_COST = 20_000
OPERATION_COST = 100
"""Cost of an operation in addition to its fields, for authentication and database access."""
FREE_INTROSPECTION_LEVELS = 3
"""Levels of `__schema` that are not counted, because the introspection query of common tools is this much deeper than
other queries."""
INTROSPECTION_COST_FACTOR = 50
"""Cost factor of introspection fields, which return many types at once."""

DepthAndCost = tuple[int, int]


def measure_document(schema: GraphQLSchema, document: DocumentNode) -> DepthAndCost:
    """Return the depth and cost of the most expensive operation of a document.

    The document doesn't have to be valid. Aliases and repeated fragments count each time, but each fragment is measured
    only once.
    """
    kinds = (schema.query_type, schema.mutation_type)
    at_root = {name: field for kind in kinds if kind for name, field in kind.fields.items()}
    fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
    open_fragments: set[str] = set()

    @cache
    def of_fragment(name: str, root: bool) -> DepthAndCost:
        if name not in fragments or name in open_fragments:
            return 0, 0  # unknown or recursive: the validator reports it
        open_fragments.add(name)
        size = of(fragments[name].selection_set, root)
        open_fragments.remove(name)
        return size

    def of_field(node: FieldNode, root: bool) -> DepthAndCost:
        depth, cost = of(node.selection_set, False)
        name = node.name.value
        if root and name in ("__schema", "__type"):
            return depth + 1 - FREE_INTROSPECTION_LEVELS * (name == "__schema"), 1 + cost * INTROSPECTION_COST_FACTOR
        operation: Operation[Any, Any] | None = (
            at_root[name].extensions.get("operation") if root and name in at_root else None
        )
        if operation is None:
            return depth + 1, cost + 1
        return depth + 1, OPERATION_COST + cost * _page_size(operation, node)

    def of(selected: SelectionSetNode | None, root: bool) -> DepthAndCost:
        depth = cost = 0
        for node in selected.selections if selected else ():
            if isinstance(node, FieldNode):
                size = of_field(node, root)
            elif isinstance(node, FragmentSpreadNode):
                size = of_fragment(node.name.value, root)
            else:
                assert isinstance(node, InlineFragmentNode)
                size = of(node.selection_set, root)
            depth, cost = max(depth, size[0]), cost + size[1]
        return depth, cost

    sizes = [of(node.selection_set, True) for node in document.definitions if isinstance(node, OperationDefinitionNode)]
    return max((depth for depth, _ in sizes), default=0), max((cost for _, cost in sizes), default=0)


def _page_size(operation: Operation[Any, Any], node: FieldNode) -> int:
    """Return the maximum number of records, assuming the limit for a variable."""
    if not issubclass(operation.request, PageRequest):
        return 1
    page_size = next((argument.value for argument in node.arguments or () if argument.name.value == "per_page"), None)
    if page_size is None:
        return operation.request.model_fields["per_page"].default
    if isinstance(page_size, IntValueNode) and len(page_size.value) < 10:
        return max(1, min(int(page_size.value), MAX_PER_PAGE))
    return MAX_PER_PAGE
