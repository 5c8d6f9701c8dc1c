// Entries of a user in the device's own database: written before anything is sent, deleted after the server
// has answered. Each user has a database per app, so that entries of other users are never sent.
// Pictures are in a second database and are read one at a time, so that the queue stays small.
const WAITING = "waiting";
const LARGE = "large";
const LEFT_OVER_MS = 3_600_000;

function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function openStore(name, store, options) {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(store, options);
  const database = await settled(opening);
  return (mode, use) =>
    new Promise((resolve, reject) => {
      const transaction = database.transaction(store, mode, { durability: "strict" });
      const request = use(transaction.objectStore(store));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
}

export async function openQueue(app, user) {
  const name = `haulier-${app}-${user}`;
  const entries = await openStore(name, WAITING, { keyPath: "n", autoIncrement: true });
  // A separate database, because a new version of the other one waits for every tab that has the old one open.
  const pictures = await openStore(`${name}-${LARGE}`, LARGE);

  const count = () => entries("readonly", (store) => store.count());
  // Entries left by an app that closed between two writes have no owner; another tab may be between them now.
  const old = IDBKeyRange.upperBound(`${Date.now() - LEFT_OVER_MS}`);
  if ((await count()) === 0) await pictures("readwrite", (store) => store.delete(old));

  return {
    // Store the picture before the entry that names it.
    async add(entry, large) {
      if (!large) return entries("readwrite", (store) => store.add(entry));
      const key = `${Date.now()}-${Math.random()}`;
      await pictures("readwrite", (store) => store.put(large, key));
      return entries("readwrite", (store) => store.add({ ...entry, large: key }));
    },
    large: (entry) => pictures("readonly", (store) => store.get(entry.large)),
    async remove(n) {
      const entry = await entries("readonly", (store) => store.get(n));
      await entries("readwrite", (store) => store.delete(n));
      if (entry?.large) await pictures("readwrite", (store) => store.delete(entry.large));
    },
    list: (most) => entries("readonly", (store) => store.getAll(null, most)),
    count,
  };
}
