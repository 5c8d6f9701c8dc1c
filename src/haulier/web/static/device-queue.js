// What a person wrote down, in the device's own database: written before anything is sent, deleted once the server has
// answered. Each person has a database of their own in each app, so that nobody sends what another one did.
const WAITING = "waiting";

function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

export async function openQueue(app, user) {
  const opening = indexedDB.open(`haulier-${app}-${user}`, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(WAITING, { keyPath: "n", autoIncrement: true });
  const database = await settled(opening);

  function inTransaction(mode, use) {
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(WAITING, mode, { durability: "strict" });
      const request = use(transaction.objectStore(WAITING));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
  }

  return {
    add: (entry) => inTransaction("readwrite", (store) => store.add(entry)),
    remove: (n) => inTransaction("readwrite", (store) => store.delete(n)),
    list: (count) => inTransaction("readonly", (store) => store.getAll(null, count)),
    count: () => inTransaction("readonly", (store) => store.count()),
  };
}
