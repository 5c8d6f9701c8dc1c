"""Limits of a document: its depth, and a cost that grows with operations and with the records of a page."""

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
"""The cost of an operation besides its fields: it authenticates, reads the database, and may write."""
FREE_INTROSPECTION_LEVELS = 3
"""Levels of `__schema` that do not count: the usual introspection query of tools is that much deeper than other queries."""
INTROSPECTION_COST_FACTOR = 50
"""The factor for fields of introspection, which are answered for very many types at once."""

DepthAndCost = tuple[int, int]


def measure_document(schema: GraphQLSchema, document: DocumentNode) -> DepthAndCost:
    """Depth and cost of the dearest operation of a document, which need not be valid.

    Every alias counts, and every place where a fragment is spread; each fragment is walked once however often that is.
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
    """How many records the answer may hold: the page asked for, the largest one where a variable says it."""
    if not issubclass(operation.request, PageRequest):
        return 1
    page_size = next((argument.value for argument in node.arguments or () if argument.name.value == "per_page"), None)
    if page_size is None:
        return operation.request.model_fields["per_page"].default
    if isinstance(page_size, IntValueNode) and len(page_size.value) < 10:
        return max(1, min(int(page_size.value), MAX_PER_PAGE))
    return MAX_PER_PAGE
