// A random key, such as an idempotency key or a client's reference. `randomUUID` is missing on pages without HTTPS, as in many
// warehouses.
export const uniqueKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
