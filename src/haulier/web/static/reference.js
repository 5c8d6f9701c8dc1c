// Try operations from the page: fill in JSON and see the response, as the signed-in user or with a token of this tab.
let token = null;
const csrf = document.getElementById("own")?.dataset.csrf;

async function signIn(event) {
  event.preventDefault();
  const body = { email: email.value, password: password.value };
  const answer = await fetch("/api/v1/user/login", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  const document = await answer.json();
  token = document.access_token ?? null;
  who.textContent = token ? `signed in as ${document.user.name}` : document.message;
}

async function tryIt(event) {
  event.preventDefault();
  const form = event.target;
  const shown = form.querySelector(".answer");
  shown.hidden = false;
  let fields;
  try {
    fields = JSON.parse(form.querySelector("textarea").value || "{}");
  } catch (fault) {
    shown.textContent = `That is not JSON: ${fault.message}`;
    return;
  }
  const answer = csrf ? await callInSession(form.dataset.operation, fields) : await callByAddress(form, fields);
  const text = await answer.text();
  let pretty = text;
  try { pretty = JSON.stringify(JSON.parse(text), null, 2); } catch { /* not JSON: shown as text */ }
  shown.textContent = `${answer.status} ${answer.headers.get("x-request-id") ?? ""}\n${pretty}`;
}

function callInSession(operation, fields) {
  const headers = { "Content-Type": "application/json", "X-Csrf": csrf };
  return fetch(`/api/docs/try/${operation}`, { method: "POST", headers, body: JSON.stringify(fields) });
}

function callByAddress(form, fields) {
  const path = form.dataset.path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = fields[name] ?? "";
    delete fields[name];
    return encodeURIComponent(value);
  });
  const asked = { method: form.dataset.method, headers: {} };
  if (token) asked.headers.Authorization = `Bearer ${token}`;
  let address = path;
  if (["GET", "DELETE"].includes(asked.method)) {
    const query = new URLSearchParams(fields).toString();
    if (query) address += `?${query}`;
  } else {
    asked.headers["Content-Type"] = "application/json";
    asked.body = JSON.stringify(fields);
  }
  return fetch(address, asked);
}

// An address of one operation opens it.
function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!named?.matches(".operation")) return;
  named.open = true;
  named.scrollIntoView();
}

function narrow() {
  const words = filter.value.toLowerCase();
  for (const operation of document.querySelectorAll(".operation")) {
    operation.hidden = !operation.dataset.words.toLowerCase().includes(words);
  }
}

const [email, password, who, filter] = ["email", "password", "who", "filter"].map((id) => document.getElementById(id));
document.getElementById("sign-in")?.addEventListener("submit", signIn);
document.querySelectorAll("form.try").forEach((form) => form.addEventListener("submit", tryIt));
filter.addEventListener("input", narrow);
addEventListener("hashchange", openNamed);
openNamed();
