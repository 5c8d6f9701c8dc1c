/** One invalid field of a request. */
export interface FieldFault {
  field: string;
  code: string;
  message: string;
}

/** Base of all errors of this package. */
export class HaulierError extends Error {
  override name = "HaulierError";
}

/** No answer came: no connection, a broken one, or a timeout. */
export class ConnectionFailed extends HaulierError {
  override name = "ConnectionFailed";
}

/** A webhook is not genuine. */
export class WebhookRefused extends HaulierError {
  override name = "WebhookRefused";
  constructor(readonly reason: "malformed" | "mismatch" | "too_old" | "too_new") {
    super(`The signature of the webhook was refused: ${reason}.`);
  }
}

/** A refusal by the server. `code` never changes; `message` is in the language of the client. */
export class ApiError extends HaulierError {
  override name = "ApiError";
  readonly code: string;
  readonly faults: FieldFault[];
  readonly hint: string | undefined;
  readonly requestId: string;

  constructor(
    readonly status: number,
    body: { code?: string; message?: string; errors?: FieldFault[]; hint?: string; request_id?: string },
    requestId: string,
    readonly retryAfterMs: number | undefined,
  ) {
    const code = body.code ?? `HTTP_${status}`;
    super(`${status} ${code}: ${body.message ?? `The server answered ${status}.`}`);
    this.code = code;
    this.faults = body.errors ?? [];
    this.hint = body.hint;
    this.requestId = body.request_id ?? requestId;
  }

  /** Path of the first invalid field. */
  get field(): string | undefined {
    return this.faults[0]?.field;
  }
}
