"""How much one document may ask: levels of depth, and fields counted after fragments are spread."""

from functools import cache

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    SelectionSetNode,
)
from graphql.language import OperationDefinitionNode

DEPTH_MAX = 12
COST_MAX = 2_000


def measure(document: DocumentNode) -> tuple[int, int]:
    """Depth and cost of the largest operation. Fragments are measured once each, however often they are spread.

    The document must be valid: a fragment that spreads itself would never end.
    """
    fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}

    @cache
    def of_fragment(name: str) -> tuple[int, int]:
        return of(fragments[name].selection_set)

    def of(selected: SelectionSetNode | None) -> tuple[int, int]:
        depth = cost = 0
        for node in selected.selections if selected else ():
            if isinstance(node, FieldNode):
                inner = of(node.selection_set)
                found = (inner[0] + 1, inner[1] + 1)
            elif isinstance(node, FragmentSpreadNode):
                found = of_fragment(node.name.value)
            else:
                assert isinstance(node, InlineFragmentNode)
                found = of(node.selection_set)
            depth, cost = max(depth, found[0]), cost + found[1]
        return depth, cost

    measured = [of(node.selection_set) for node in document.definitions if isinstance(node, OperationDefinitionNode)]
    return max((d for d, _ in measured), default=0), max((c for _, c in measured), default=0)
