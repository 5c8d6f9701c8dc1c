// Calls of operations by the scripts of an app. What the server did not answer may be sent again; what it refused may not.
const TRY_LATER = new Set([401, 403, 408, 425, 429]);

export class Unanswered extends Error {
  constructor(status) {
    super(`unanswered: ${status}`);
    this.status = status;
  }
}

export const makeCaller = (app, csrf) =>
  // `within_ms`: what was not answered by then is given up, and is not sent later either.
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
