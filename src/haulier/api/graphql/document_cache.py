"""Documents: parsed, measured and validated once, then kept by their text."""

from collections import OrderedDict
from collections.abc import Sequence
from inspect import isawaitable
from typing import Any

from graphql import (
    DocumentNode,
    ExecutionResult,
    Executor,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    default_field_resolver,
    default_type_resolver,
    parse,
    validate,
)
from msgspec import Struct

from haulier.api.graphql.limits import MAX_COST, MAX_DEPTH, measure_document
from haulier.api.graphql.projection import Projections, RecordExecutor
from haulier.api.graphql.variables import InputReaders, OperationVariables
from haulier.kernel.operations.errors import BODY_TOO_LARGE, OperationError, declare_error

GRAPHQL_INVALID = declare_error("graphql_invalid", 400)
GRAPHQL_TOO_DEEP = declare_error("graphql_too_deep", 400)
GRAPHQL_TOO_COSTLY = declare_error("graphql_too_costly", 400)
MAX_DOCUMENT_CHARACTERS = 100_000
MAX_DOCUMENT_TOKENS = 2_500
"""The worst document of this size takes a quarter of a second to validate; a large ordinary one has a tenth of the size."""
MAX_CACHED_CHARACTERS = 1_000_000
"""The cached documents together have at most this many characters: a parsed one takes about eighty bytes for each."""
MAX_DETAIL_CHARACTERS = 300
MAX_FAULTS = 5


def invalid_document(detail: str) -> OperationError:
    """An error that says what is wrong with a document, without repeating the whole document.

    The detail is GraphQL's own and in English, so it is the whole message in every language
    (docs/decisions/interfaces.md).
    """
    return GRAPHQL_INVALID(detail=detail[:MAX_DETAIL_CHARACTERS])


class InvalidDocument(OperationError):
    """A document that does not parse or does not fit the schema, with each fault and its place in the document."""

    def __init__(self, faults: Sequence[GraphQLError]) -> None:
        first = invalid_document(faults[0].message)
        super().__init__(first.error_type, first.params)
        self.faults = faults


class KnownOperation(Struct, frozen=True):
    """An operation of a document that was executed before: what the library found in the document, and its variables."""

    schema: GraphQLSchema
    operation: OperationDefinitionNode
    fragment_definitions: dict[str, FragmentDefinitionNode]
    fragments: dict[str, Any]
    variables: OperationVariables

    def executor(self, context: Any, given: dict[str, Any], projections: Projections) -> RecordExecutor | None:
        """What executes it for one call; None where the library has to look at the variables."""
        values = self.variables.read(given)
        if values is None:
            return None
        return RecordExecutor(
            schema=self.schema,
            fragment_definitions=self.fragment_definitions,
            fragments=self.fragments,
            root_value=None,
            context_value=context,
            operation=self.operation,
            variable_values=values,
            field_resolver=default_field_resolver,
            type_resolver=default_type_resolver,
            subscribe_field_resolver=default_field_resolver,
            hide_suggestions=True,
            projections=projections,
            variables=self.variables,
        )


class PreparedDocument(Struct, frozen=True):
    """A valid document, and what it was found to select."""

    document: DocumentNode
    kept: Projections | None = {}
    """None where its directives, and so variables, decide what it selects."""
    operations: dict[str | None, KnownOperation] = {}
    """Those that were executed, by the name that was asked for."""

    @property
    def projections(self) -> Projections:
        """Where to look what it selects, for one execution."""
        return {} if self.kept is None else self.kept


class DocumentCache:
    """The documents of one schema, the most recently used of them ready to execute."""

    def __init__(self, schema: GraphQLSchema, room: int = MAX_CACHED_CHARACTERS) -> None:
        self.schema = schema
        self._room = room
        self._kept: OrderedDict[str, PreparedDocument] = OrderedDict()
        self._size = 0
        self._readers = InputReaders()

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, text: str) -> PreparedDocument:
        """The valid document of a text. Raises `InvalidDocument`, or one of the problems above."""
        if text in self._kept:
            self._kept.move_to_end(text)
            return self._kept[text]
        if len(text) > MAX_DOCUMENT_CHARACTERS:
            raise BODY_TOO_LARGE(limit_bytes=MAX_DOCUMENT_CHARACTERS)
        document = self._kept[text] = PreparedDocument(self._valid(text), None if "@" in text else {})
        self._size += len(text)
        while self._size > self._room:
            self._size -= len(self._kept.popitem(last=False)[0])
        return document

    async def execute(
        self, prepared: PreparedDocument, context: Any, variables: dict[str, Any] | None, operation_name: str | None
    ) -> ExecutionResult:
        """Execute a document of this cache."""
        known = prepared.operations.get(operation_name)
        executor = known and known.executor(context, variables or {}, prepared.projections)
        if executor is None:
            built = RecordExecutor.build(
                self.schema,
                prepared.document,
                context_value=context,
                raw_variable_values=variables,
                operation_name=operation_name,
                hide_suggestions=True,
                projections=prepared.projections,
            )
            if isinstance(built, list):
                return ExecutionResult(None, built)
            executor = built
            if known is None:
                prepared.operations[operation_name] = self._known(executor)
        result: Any = executor.execute_operation()
        return await result if isawaitable(result) else result

    def _known(self, executor: Executor[Any]) -> KnownOperation:
        variables = OperationVariables(self._readers, self.schema, executor.operation)
        found = executor.operation, executor.fragment_definitions, executor.fragments
        return KnownOperation(self.schema, *found, variables)

    def _valid(self, text: str) -> DocumentNode:
        try:
            document = parse(text, max_tokens=MAX_DOCUMENT_TOKENS)
            depth, cost = measure_document(self.schema, document)
        except GraphQLError as error:
            raise InvalidDocument([error]) from None
        except RecursionError:
            raise GRAPHQL_TOO_DEEP(limit=MAX_DEPTH) from None
        if depth > MAX_DEPTH:
            raise GRAPHQL_TOO_DEEP(limit=MAX_DEPTH)
        if cost > MAX_COST:
            raise GRAPHQL_TOO_COSTLY(limit=MAX_COST)
        if faults := validate(self.schema, document, max_errors=MAX_FAULTS, hide_suggestions=True):
            raise InvalidDocument(faults)
        return document
