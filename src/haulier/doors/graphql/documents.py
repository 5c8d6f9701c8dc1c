"""Documents: parsed, measured and validated once, then kept by their text."""

from collections import OrderedDict

from graphql import DocumentNode, GraphQLError, GraphQLSchema, parse, validate

from haulier.doors.graphql.limits import COST_MAX, DEPTH_MAX, measure
from haulier.kernel.errors import BODY_TOO_LARGE, Refusal, problem

GRAPHQL_INVALID = problem("graphql_invalid", 400)
GRAPHQL_TOO_DEEP = problem("graphql_too_deep", 400)
GRAPHQL_TOO_COSTLY = problem("graphql_too_costly", 400)
CHARACTERS_MAX = 100_000
TOKENS_MAX = 2_500
"""The hardest document of this size costs about a quarter of a second to validate; a large honest one has a tenth of it."""
CHARACTERS_KEPT = 1_000_000
"""Kept documents hold at most this many characters together: a parsed one takes about eighty bytes for each."""


DETAIL_MAX = 300


def invalid(detail: str) -> Refusal:
    """A refusal that says what is wrong with a document, without repeating all of it."""
    return GRAPHQL_INVALID(detail=detail[:DETAIL_MAX])


class Documents:
    """The documents of one schema, the most recently used of them ready to execute."""

    def __init__(self, schema: GraphQLSchema, room: int = CHARACTERS_KEPT) -> None:
        self._schema = schema
        self._room = room
        self._kept: OrderedDict[str, DocumentNode] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, text: str) -> DocumentNode:
        """The valid document of a text. Raises one of the problems above."""
        if text in self._kept:
            self._kept.move_to_end(text)
            return self._kept[text]
        if len(text) > CHARACTERS_MAX:
            raise BODY_TOO_LARGE(limit_bytes=CHARACTERS_MAX)
        document = self._kept[text] = self._prepared(text)
        self._size += len(text)
        while self._size > self._room:
            self._size -= len(self._kept.popitem(last=False)[0])
        return document

    def _prepared(self, text: str) -> DocumentNode:
        try:
            document = parse(text, max_tokens=TOKENS_MAX)
            depth, cost = measure(self._schema, document)
        except GraphQLError as error:
            raise invalid(error.message) from None
        except RecursionError:
            raise GRAPHQL_TOO_DEEP(limit=DEPTH_MAX) from None
        if depth > DEPTH_MAX:
            raise GRAPHQL_TOO_DEEP(limit=DEPTH_MAX)
        if cost > COST_MAX:
            raise GRAPHQL_TOO_COSTLY(limit=COST_MAX)
        if faults := validate(self._schema, document, max_errors=5, hide_suggestions=True):
            raise invalid(faults[0].message)
        return document
