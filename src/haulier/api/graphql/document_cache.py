"""Cache of parsed, measured and validated documents."""

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
"""Token limit of a document. The worst document of this size takes 250 ms to validate; large ordinary documents have
a tenth of these tokens."""
MAX_CACHED_CHARACTERS = 1_000_000
"""Total characters of the cached documents. A parsed document takes about 80 bytes per character."""
MAX_DETAIL_CHARACTERS = 300
MAX_FAULTS = 5


def invalid_document(detail: str) -> OperationError:
    """Return an error with a short detail about an invalid document.

    The detail comes from the GraphQL library and is not translated (docs/decisions/interfaces.md).
    """
    return GRAPHQL_INVALID(detail=detail[:MAX_DETAIL_CHARACTERS])


class InvalidDocument(OperationError):
    """Raised for a document that doesn't parse or doesn't match the schema.

    `faults` are the errors with their locations.
    """

    def __init__(self, faults: Sequence[GraphQLError]) -> None:
        first = invalid_document(faults[0].message)
        super().__init__(first.error_type, first.params)
        self.faults = faults


class KnownOperation(Struct, frozen=True):
    """A previously executed operation of a document, with its variables."""

    schema: GraphQLSchema
    operation: OperationDefinitionNode
    fragment_definitions: dict[str, FragmentDefinitionNode]
    fragments: dict[str, Any]
    variables: OperationVariables

    def executor(self, context: Any, given: dict[str, Any], projections: Projections) -> RecordExecutor | None:
        """Return an executor; None if the library has to coerce the variables."""
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
    """A valid document with its cached projections."""

    document: DocumentNode
    kept: Projections | None = {}
    """Cached projections; None if directives make the selection depend on variables."""
    operations: dict[str | None, KnownOperation] = {}
    """Executed operations by operation name."""

    @property
    def projections(self) -> Projections:
        """The projections to use for one execution."""
        return {} if self.kept is None else self.kept


class DocumentCache:
    """Least-recently-used cache of the documents of one schema."""

    def __init__(self, schema: GraphQLSchema, room: int = MAX_CACHED_CHARACTERS) -> None:
        self.schema = schema
        self._room = room
        self._kept: OrderedDict[str, PreparedDocument] = OrderedDict()
        self._size = 0
        self._readers = InputReaders()

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, text: str) -> PreparedDocument:
        """Return the valid document for a text.

        Raises `InvalidDocument`, or one of the errors above.
        """
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
