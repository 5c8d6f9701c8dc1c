import type { CallOptions, Haulier, Spec } from "./client.js";

/** An operation as openapi-typescript describes it. */
export interface Described {
  parameters: { query?: unknown; path?: unknown };
  requestBody?: unknown;
  responses: unknown;
}

type Given<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>;
type Content<T> = T extends { content: { "application/json": infer J } } ? J : never;
type Body<O extends Described> = [NonNullable<O["requestBody"]>] extends [never]
  ? unknown
  : undefined extends O["requestBody"]
    ? { body?: Content<NonNullable<O["requestBody"]>> }
    : { body: Content<O["requestBody"]> };
type Values<T> = T[keyof T];

/** Path and query parameters of an operation by name, and its `body`. */
export type Params<O extends Described> = Given<O["parameters"]["path"]> & Given<O["parameters"]["query"]> & Body<O>;

/** The answer of an operation. */
export type Answer<O extends Described> = Content<Values<O["responses"]>>;

/** Media types that an operation can answer with instead of JSON. */
export type FileTypes<O extends Described> =
  Values<O["responses"]> extends { content: infer C } ? Exclude<keyof C, "application/json"> : never;

type Arguments<O extends Described> =
  object extends Params<O>
    ? [params?: Params<O>, options?: CallOptions]
    : [params: Params<O>, options?: CallOptions];

export interface Operation<O extends Described> {
  (client: Haulier, ...args: Arguments<O>): Promise<Answer<O>>;
  readonly spec: Spec;
}

export interface List<O extends Described, K extends string> extends Operation<O> {
  readonly key: K;
  readonly byCursor: boolean;
}

/** Return an operation that is sent by method and path. */
export function operation<O extends Described>(method: string, path: string): Operation<O> {
  const spec: Spec = { method, path };
  const call = async (client: Haulier, params: object = {}, options?: CallOptions) =>
    (await client.send(spec, params, options)).json() as Promise<Answer<O>>;
  return Object.assign(call, { spec }) as Operation<O>;
}

/** Return an operation whose answers are pages of records. */
export function list<O extends Described, K extends string>(path: string, key: K, byCursor: boolean): List<O, K> {
  return Object.assign(operation<O>("GET", path), { key, byCursor }) as List<O, K>;
}

type Item<O extends Described, K extends string> =
  Answer<O> extends Record<K, readonly (infer T)[]> ? T : never;

/** Iterate over all pages of a list: `for await (const order of iterate(haulier, getOrders, { per_page: 100 }))`. */
export async function* iterate<O extends Described, K extends string>(
  client: Haulier,
  operation: List<O, K>,
  params?: Params<O>,
): AsyncGenerator<Item<O, K>, void, undefined> {
  let place: object = {};
  for (let page = 2; ; page++) {
    const response = await client.send(operation.spec, { ...(params as object | undefined), ...place });
    const answer = (await response.json()) as Record<string, unknown> & { next_cursor?: string; per_page?: number };
    const found = answer[operation.key] as Item<O, K>[];
    yield* found;
    if (!found.length || (operation.byCursor ? !answer.next_cursor : found.length < (answer.per_page ?? 1))) return;
    place = operation.byCursor ? { cursor: answer.next_cursor, page: undefined } : { page };
  }
}

/** Return the answer of an operation as a file: `download(haulier, printLocalLabel, "application/pdf", { order_id })`. */
export async function download<O extends Described>(
  client: Haulier,
  operation: Operation<O>,
  accept: FileTypes<O> & string,
  params?: Params<O>,
): Promise<Uint8Array> {
  return new Uint8Array(await (await client.send(operation.spec, params ?? {}, {}, accept)).arrayBuffer());
}
