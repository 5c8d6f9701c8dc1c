"""Long-running work as tasks (`io.modelcontextprotocol/tasks` of 2026-07-28).

A tool that starts a job answers with a task if the client supports tasks. A task is not stored: its id names the job,
and its status is that of the job.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from haulier.api.mcp.client_capabilities import TASKS_EXTENSION, supports_tasks
from haulier.api.mcp.feature_calls import call_operation, find_operation, member_at, refusal
from haulier.api.mcp.request import McpRequest
from haulier.api.mcp.results import tool_result
from haulier.api.mcp.server_features import ServerFeatures, TaskDeclaration
from haulier.api.mcp.tools import untrusted_paths_of
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.pipeline.result import OperationResult

POLL_INTERVAL_MS = 2_000
NAME_HEADER = b"mcp-name"
"""Header for routing (SEP-2243). For tasks it contains the task id."""
_WORKING = {"queued", "running"}
_CANCELLED = "cancelled"
_ALL_REFUSED = "failed"


class TaskParams(types.RequestParams):
    """Parameters with a task id."""

    task_id: str


class UpdateTaskParams(TaskParams):
    """Answers to the questions of a task. Our tasks ask none."""

    input_responses: dict[str, Any] | None = None


class Tasks:
    """The tasks of one server."""

    def __init__(self, features: ServerFeatures) -> None:
        self._declared = {each.tool: each for each in features.tasks}

    def may_begin(self, tool: str, params: Mapping[str, Any]) -> bool:
        """Return True if a call of the tool can answer with a task."""
        return tool in self._declared and supports_tasks(params)

    async def begun(self, request: McpRequest, tool: str, answer: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the started task.

        Returns None if the answer has no job, as for a preview or a write that waits for approval.
        """
        declared = self._declared[tool]
        job_id = member_at(answer, declared.id)
        if not isinstance(job_id, int) or answer.get("dry_run"):
            return None
        result = await self._read(request, declared, job_id)
        if result.error is not None:
            return None
        return {"resultType": "task", **_task(declared, job_id, result)}

    async def get(self, request: McpRequest, task_id: str) -> dict[str, Any]:
        """Return the task, with its result when it is finished.

        Raises `MCPError` for a task that does not exist for the caller.
        """
        declared, job_id = self._parse(request, task_id)
        result = await self._read(request, declared, job_id)
        if result.error is not None:
            raise refusal(result.error)
        task = _task(declared, job_id, result)
        if task["status"] == "completed":
            task["result"] = self._result(request, declared, result)
        return task

    async def update(self, request: McpRequest, task_id: str) -> dict[str, Any]:
        """Accept answers for a task; our tasks ask no questions.

        Raises `MCPError` for a task that does not exist for the caller.
        """
        await self.get(request, task_id)
        return {}

    async def cancel(self, request: McpRequest, task_id: str) -> dict[str, Any]:
        """Cancel the job; a finished one is unchanged.

        Raises `MCPError` for a task that does not exist for the caller, or that they may not cancel.
        """
        declared, job_id = self._parse(request, task_id)
        if (await self.get(request, task_id))["status"] == "working":
            result = await call_operation(request, declared.cancel, body={declared.field: job_id})
            if result.error is not None and (await self.get(request, task_id))["status"] == "working":
                raise refusal(result.error)
        return {}

    def _parse(self, request: McpRequest, task_id: str) -> tuple[TaskDeclaration, int]:
        tool, _, number = task_id.partition(":")
        if tool not in self._declared or not number.isdecimal() or not number.isascii() or len(number) > 15:
            raise refusal(request.body(NOT_FOUND()))
        return self._declared[tool], int(number)

    async def _read(self, request: McpRequest, declared: TaskDeclaration, job_id: int) -> OperationResult:
        return await call_operation(request, declared.read, body={declared.field: job_id})

    def _result(self, request: McpRequest, declared: TaskDeclaration, result: OperationResult) -> dict[str, Any]:
        """Return the tool result for the job, as an error if all of it was rejected."""
        untrusted = untrusted_paths_of(find_operation(request, declared.read))
        told = tool_result(result, untrusted).to_sdk_result()
        told.is_error = member_at(result.answer, declared.state) == _ALL_REFUSED
        return told.model_dump(by_alias=True, mode="json", exclude_none=True)


def require_tasks(context: Any, task_id: str) -> None:
    """Raise `MCPError` if the client does not support tasks.

    Also raised if the header names a different task than the message.
    """
    named = dict(context.request.scope["headers"]).get(NAME_HEADER)
    if named is not None and named.decode("latin-1") != task_id:
        raise MCPError(types.HEADER_MISMATCH, "The header Mcp-Name does not name the task of the message.")
    if not supports_tasks(context.params):
        data = {"requiredCapabilities": {"extensions": {TASKS_EXTENSION: {}}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, f"This needs the extension {TASKS_EXTENSION}.", data)


def _task(declared: TaskDeclaration, job_id: int, result: OperationResult) -> dict[str, Any]:
    state = str(member_at(result.answer, declared.state))
    created: datetime = member_at(result.answer, declared.created_at)
    updated: datetime = member_at(result.answer, declared.updated_at) or created
    status = "working" if state in _WORKING else "cancelled" if state == _CANCELLED else "completed"
    return {
        "taskId": f"{declared.tool}:{job_id}",
        "status": status,
        "createdAt": created.isoformat(),
        "lastUpdatedAt": updated.isoformat(),
        "ttlMs": None,
        "pollIntervalMs": POLL_INTERVAL_MS,
    }
