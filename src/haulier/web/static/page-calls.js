// Operation calls of app scripts. Unanswered calls can be repeated; refused ones cannot.
const TRY_LATER = new Set([401, 403, 408, 425, 429]);

export class Unanswered extends Error {
  constructor(status) {
    super(`unanswered: ${status}`);
    this.status = status;
  }
}

export const makeCaller = (app, csrf) =>
  // `within_ms`: a call without a response by then is cancelled and is not repeated.
  async function ask(operation, values, within_ms) {
    let answer;
    try {
      answer = await fetch(`/${app}/ask/${operation}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRF": csrf },
        body: JSON.stringify(values),
        signal: within_ms && AbortSignal.timeout(within_ms),
      });
    } catch {
      throw new Unanswered(0);
    }
    if (answer.status >= 500 || TRY_LATER.has(answer.status)) throw new Unanswered(answer.status);
    const body = await answer.json().catch(() => {
      throw new Unanswered(0);
    });
    return { ok: answer.ok, body };
  };
