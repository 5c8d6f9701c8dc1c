// Calls operations by name. A refusal becomes an error whose message can be shown to users.
const board = document.getElementById("board").dataset;

export class Refused extends Error {
  constructor(status, body) {
    const parts = (body.errors ?? []).map((each) => each.message).filter(Boolean);
    super([body.message, ...new Set(parts)].join(" "));
    this.status = status;
    this.code = body.code;
  }
}

export async function ask(operation, values = {}, { signal, rehearse = false } = {}) {
  const answer = await fetch(`/dispatch/ask/${operation}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF": board.csrf, ...(rehearse ? { "X-Dry-Run": "true" } : {}) },
    body: JSON.stringify(values),
    signal,
  });
  if (answer.status === 401) location.reload();
  const body = await answer.json();
  if (!answer.ok) throw new Refused(answer.status, body);
  return body;
}
