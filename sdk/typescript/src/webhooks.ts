import { WebhookRefused } from "./errors.js";

/** A message of a webhook. */
export interface WebhookMessage {
  id: string;
  event: string;
  occurred_at: string;
  sequence: number;
  client: string;
  version: number;
  subject?: string;
  test?: boolean;
  data: Record<string, unknown>;
}

export interface WebhookOptions {
  /** Seconds that the clocks may differ; 300 by default. */
  toleranceS?: number;
  /** The current time in milliseconds. */
  now?: number;
}

/**
 * Return the message of a webhook whose signature is genuine, as in Standard Webhooks 1.0.
 *
 * `body` is the raw body, before any parsing. While you replace a secret, pass both. Handle each `webhook-id` once:
 * a message can arrive more than once. Throws `WebhookRefused`.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
  secrets: string | string[],
  options: WebhookOptions = {},
): Promise<WebhookMessage> {
  const read = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== "string") throw new WebhookRefused("malformed");
    return value;
  };
  const sent = read("webhook-timestamp");
  if (!/^\d{1,12}$/.test(sent)) throw new WebhookRefused("malformed");
  const text = new TextEncoder();
  const raw = typeof body === "string" ? text.encode(body) : body;
  const head = text.encode(`${read("webhook-id")}.${sent}.`);
  const signed = new Uint8Array(head.length + raw.length);
  signed.set(head);
  signed.set(raw, head.length);
  const given = read("webhook-signature").split(" ").filter((each) => each.startsWith("v1,"));
  if (!(await fits(signed, given, [secrets].flat()))) throw new WebhookRefused("mismatch");
  const ageS = (options.now ?? Date.now()) / 1000 - Number(sent);
  if (Math.abs(ageS) > (options.toleranceS ?? 300)) throw new WebhookRefused(ageS > 0 ? "too_old" : "too_new");
  return JSON.parse(new TextDecoder().decode(raw)) as WebhookMessage;
}

async function fits(signed: Uint8Array<ArrayBuffer>, given: string[], secrets: string[]): Promise<boolean> {
  for (const secret of secrets) {
    const bytes = decode(secret.trim().replace(/^whsec_/, ""));
    if (!bytes?.length) throw new TypeError("the secret of a webhook is `whsec_` and base64");
    const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const each of given) {
      const signature = decode(each.slice(3));
      if (signature && (await crypto.subtle.verify("HMAC", key, signature, signed))) return true;
    }
  }
  return false;
}

function decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  } catch {
    return undefined;
  }
}
