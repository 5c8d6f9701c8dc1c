import { ApiError, ConnectionFailed } from "./errors.js";

const VERSION = "0.1.0";
const RETRIED = [408, 429, 500, 502, 503, 504];

export interface Settings {
  /** Address of the server, such as `https://freight.example`. */
  baseUrl: string;
  /** API key. */
  key?: string;
  /** Milliseconds to wait for each attempt; 30,000 by default. */
  timeoutMs?: number;
  /** Attempts after the first one, for broken connections, 408, 429 and 5xx; 4 by default. */
  maxRetries?: number;
  /** A longer `Retry-After` throws the error at once; 60,000 by default. */
  maxWaitMs?: number;
  /** Language of messages: en, fr, de, es, zh-Hans or zh-Hant. */
  language?: string;
  /** Run writes and roll them back; the answers show what would change. */
  dryRun?: boolean;
  /** More headers for each call. */
  headers?: Record<string, string>;
  /** Another `fetch`. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  /** Your own key of a write; repeats of it are done once. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** How an operation is sent. */
export interface Spec {
  method: string;
  path: string;
}

/** A client of a Haulier server. */
export class Haulier {
  constructor(readonly settings: Settings) {}

  /** True if the key is one of the test mode. */
  get isTest(): boolean {
    return this.settings.key?.startsWith("hltest_") ?? false;
  }

  /** Return a client with other settings. */
  with(changes: Partial<Settings>): Haulier {
    return new Haulier({ ...this.settings, ...changes });
  }

  /** Send a call until its outcome is final, and return the answer. Throws `ApiError` or `ConnectionFailed`. */
  async send(spec: Spec, params: object, options: CallOptions = {}, accept = "application/json"): Promise<Response> {
    const { url, init } = this.request(spec, { ...params }, options, accept);
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.attempt(url, init, options.signal);
      const wait = await this.delay(outcome, attempt);
      if (wait === undefined) {
        if (!(outcome instanceof Response)) throw outcome;
        if (!outcome.ok) throw await toError(outcome);
        return outcome;
      }
      if (outcome instanceof Response) await outcome.body?.cancel();
      await sleep(wait, options.signal);
    }
  }

  private request(spec: Spec, params: Record<string, unknown>, options: CallOptions, accept: string) {
    const { baseUrl, key, language, dryRun, headers: more } = this.settings;
    const headers = new Headers({ Accept: accept, "X-Client": `haulier-client-typescript/${VERSION}`, ...more });
    if (key) headers.set("Authorization", `Bearer ${key}`);
    if (language) headers.set("Accept-Language", language);
    const isWrite = spec.method !== "GET";
    if (dryRun && isWrite) headers.set("X-Dry-Run", "1");
    if (isWrite) headers.set("Idempotency-Key", options.idempotencyKey ?? crypto.randomUUID());
    const { body, ...rest } = params;
    const path = spec.path.replace(/{(\w+)}/g, (_, name: string) => {
      const value = rest[name];
      delete rest[name];
      return encodeURIComponent(String(value));
    });
    const url = new URL(`${baseUrl.replace(/\/+$/, "").replace(/\/api$/, "")}/api${path}`);
    for (const [name, value] of Object.entries(rest))
      for (const each of [value].flat()) if (each != null) url.searchParams.append(name, String(each));
    const init: RequestInit = { method: spec.method, headers, redirect: "manual" };
    if (body !== undefined) {
      headers.set("Content-Type", "application/json");
      init.body = JSON.stringify(body);
    }
    return { url, init };
  }

  private async attempt(url: URL, init: RequestInit, signal?: AbortSignal): Promise<Response | ConnectionFailed> {
    signal?.throwIfAborted();
    const timeout = AbortSignal.timeout(this.settings.timeoutMs ?? 30_000);
    try {
      const send = this.settings.fetch ?? fetch;
      return await send(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
    } catch (cause) {
      signal?.throwIfAborted();
      return new ConnectionFailed(`${init.method} ${url}: ${String(cause)}`, { cause });
    }
  }

  /** Return the milliseconds until the next attempt, or undefined if the outcome is final. */
  private async delay(outcome: Response | ConnectionFailed, attempt: number): Promise<number | undefined> {
    if (attempt >= (this.settings.maxRetries ?? 4)) return undefined;
    if (!(outcome instanceof Response)) return pause(attempt);
    if (!(await isTemporary(outcome))) return undefined;
    const asked = retryAfter(outcome);
    if (asked === undefined) return pause(attempt);
    return asked <= (this.settings.maxWaitMs ?? 60_000) ? asked : undefined;
  }
}

async function isTemporary(response: Response): Promise<boolean> {
  if (RETRIED.includes(response.status)) return true;
  if (response.status !== 409) return false;
  const body = (await response.clone().json().catch(() => ({}))) as { code?: string };
  return body.code === "CONFLICT";
}

function pause(attempt: number): number {
  return Math.min(8000, 250 * 2 ** attempt) * (0.5 + Math.random() / 2);
}

/** Return the milliseconds of `Retry-After`, which is a number of seconds or a date. */
function retryAfter(response: Response): number | undefined {
  const value = response.headers.get("Retry-After")?.trim() ?? "";
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

async function toError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => ({}));
  const id = response.headers.get("X-Request-Id") ?? "";
  return new ApiError(response.status, body && typeof body === "object" ? body : {}, id, retryAfter(response));
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason as Error)), { once: true });
  });
}
