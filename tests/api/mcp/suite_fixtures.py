"""Tools, resources and prompts named as in the official conformance suite.

They are declared as the real ones: operations of a registry, catalogue texts, declarations in TOML. Features that
Haulier does not have (images, a tool that asks for a name, a job that fails as a message) are missing;
`conformance.toml` lists the reasons.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from pydantic import Field

from haulier.api.mcp.server_features import ServerFeatures
from haulier.app import registry
from haulier.kernel.application import Application
from haulier.kernel.call import Call
from haulier.kernel.data.clock import utc_now
from haulier.kernel.i18n.languages import Catalogues
from haulier.kernel.operations.answers import Answer, Done
from haulier.kernel.operations.declaration import EmptyRequest, Mcp, Request, reads
from haulier.kernel.operations.enums import Account
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.registry import Registry

ANYBODY = {Account.PUBLIC}
FEATURES = """
[[resources]]
name = "suite_text"
uri = "test://static-text"
operation = "simple_text"
answer = "message"
mime_type = "text/plain"

[[templates]]
name = "suite_template"
uri = "test://template/{id}/data"
operation = "template_data"

[[prompts]]
name = "test_simple_prompt"
tools = ["test_simple_text"]

[[prompts]]
name = "test_prompt_with_arguments"
tools = ["test_simple_text"]
arguments = [{ name = "arg1", required = true }, { name = "arg2", required = true }]
"""
TASK = """
[[tasks]]
tool = "{tool}"
id = "job_id"
read = "read_computation"
cancel = "cancel_computation"
field = "job_id"
state = "state"
created_at = "created_at"
updated_at = "created_at"
"""
TASK_TOOLS = ("slow_compute", "failing_job", "confirm_delete", "test_tool_with_task")
CONFIRMED_TOOLS = (
    "test_input_required_result_elicitation",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
    "test_streaming_elicitation",
)
WORDS = {
    "mcp.prompt.test_simple_prompt.text": "This is a simple prompt for testing.",
    "mcp.prompt.test_prompt_with_arguments.text": "Prompt with arguments: arg1='{arg1}', arg2='{arg2}'",
}


class SuiteWords(Catalogues):
    """Our words, and those of the suite's prompts."""

    def translate(self, language: str, message_id: str, /, **params: Any) -> str:
        """As the catalogues do."""
        words = WORDS.get(message_id)
        return words.format_map(params) if words else super().translate(language, message_id, **params)


class TemplateData(Request):
    """Which."""

    id: str


class TemplateAnswer(Answer):
    """It."""

    id: str


class Greet(Request):
    """Whom."""

    name: str = Field(max_length=100, examples=["Ada"])


class Compute(Request):
    """For how long."""

    seconds: int = Field(default=0, ge=0, le=600)
    label: str | None = None


class AnyArguments(Request):
    """Arguments of any shape."""

    filename: str | None = None


class ComputationRef(Request):
    """Reference to a computation."""

    job_id: int


class Computation(Answer):
    """Progress of a computation."""

    job_id: int
    state: str
    created_at: datetime


class _Job:
    """A computation of the suite: over after its time, unless it was cancelled before."""

    def __init__(self, seconds: int, outcome: str) -> None:
        self.began, self.lasts, self.outcome = utc_now(), timedelta(seconds=seconds), outcome
        self.cancelled = False

    @property
    def state(self) -> str:
        """As those of our jobs."""
        if self.cancelled:
            return "cancelled"
        return self.outcome if utc_now() - self.began >= self.lasts else "running"


JOBS: list[_Job] = []


def computation(number: int) -> Computation:
    """A computation by its number. Raises `NOT_FOUND`."""
    if not 0 < number <= len(JOBS):
        raise NOT_FOUND()
    return Computation(job_id=number, state=JOBS[number - 1].state, created_at=JOBS[number - 1].began)


def started(seconds: int, outcome: str) -> Computation:
    JOBS.append(_Job(seconds, outcome))
    return computation(len(JOBS))


@reads("simple_text", audience=ANYBODY, interfaces=(Mcp("test_simple_text"),))
async def simple_text(call: Call, request: EmptyRequest) -> Done:
    """Say something."""
    return Done(message="This is a simple text response for testing.")


@reads("error_handling", audience=ANYBODY, interfaces=(Mcp("test_error_handling"),))
async def error_handling(call: Call, request: EmptyRequest) -> Done:
    """Refuse."""
    raise NOT_FOUND()


@reads("greet", audience=ANYBODY, interfaces=(Mcp("greet"),))
async def greet(call: Call, request: Greet) -> Done:
    """Greet a user."""
    return Done(message=f"Hello, {request.name}!")


@reads("template_data", audience=ANYBODY, interfaces=(Mcp("template_data"),))
async def template_data(call: Call, request: TemplateData) -> TemplateAnswer:
    """Say what was asked for."""
    return TemplateAnswer(id=request.id)


@reads("slow_compute", audience=ANYBODY, interfaces=(Mcp("slow_compute"),))
async def slow_compute(call: Call, request: Compute) -> Computation:
    """Begin a computation that takes time."""
    return started(request.seconds, "done")


@reads("failing_job", audience=ANYBODY, interfaces=(Mcp("failing_job"),))
async def failing_job(call: Call, request: EmptyRequest) -> Computation:
    """Begin a computation that comes to nothing."""
    return started(0, "failed")


@reads("confirm_delete", audience=ANYBODY, interfaces=(Mcp("confirm_delete"), Mcp("test_tool_with_task")), confirm=True)
async def confirm_delete(call: Call, request: AnyArguments) -> Computation:
    """Begin a computation that requires confirmation."""
    return started(0, "done")


@reads("asks_first", audience=ANYBODY, interfaces=tuple(map(Mcp, CONFIRMED_TOOLS)), confirm=True)
async def asks_first(call: Call, request: AnyArguments) -> Done:
    """Run an action that requires confirmation."""
    return Done(message="Done.")


@reads("says_nothing_beside", audience=ANYBODY, interfaces=(Mcp("test_logging_tool"),))
async def says_nothing_beside(call: Call, request: EmptyRequest) -> Done:
    """Answer, and send no log."""
    return Done(message="Done.")


@reads("read_computation", audience=ANYBODY, interfaces=(Mcp("read_computation"),))
async def read_computation(call: Call, request: ComputationRef) -> Computation:
    """Show how far a computation is."""
    return computation(request.job_id)


@reads("cancel_computation", audience=ANYBODY, interfaces=(Mcp("cancel_computation"),))
async def cancel_computation(call: Call, request: ComputationRef) -> Computation:
    """Cancel a computation."""
    computation(request.job_id)
    JOBS[request.job_id - 1].cancelled = True
    return computation(request.job_id)


OPERATIONS = (
    simple_text,
    error_handling,
    greet,
    template_data,
    slow_compute,
    failing_job,
    confirm_delete,
    asks_first,
    says_nothing_beside,
    read_computation,
    cancel_computation,
)


def suite_application(application: Application) -> Application:
    """The real tools, and those that the suite calls."""
    return replace(application, registry=Registry([*registry(), *OPERATIONS]), catalogues=SuiteWords())


def suite_features() -> ServerFeatures:
    """Return the resources and prompts of the suite."""
    return ServerFeatures.of(FEATURES + "".join(TASK.format(tool=tool) for tool in TASK_TOOLS))
