// Try operations from the page: sign in, fill in JSON, see the real answer.
let token = null;

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
  const answer = await fetch(address, asked);
  const text = await answer.text();
  let pretty = text;
  try { pretty = JSON.stringify(JSON.parse(text), null, 2); } catch { /* not JSON: shown as it is */ }
  shown.textContent = `${answer.status} ${answer.headers.get("x-request-id") ?? ""}\n${pretty}`;
}

function narrow() {
  const words = filter.value.toLowerCase();
  for (const operation of document.querySelectorAll(".operation")) {
    operation.hidden = !operation.dataset.words.toLowerCase().includes(words);
  }
}

const [email, password, who, filter] = ["email", "password", "who", "filter"].map((id) => document.getElementById(id));
document.getElementById("login").addEventListener("submit", signIn);
document.querySelectorAll("form.try").forEach((form) => form.addEventListener("submit", tryIt));
filter.addEventListener("input", narrow);
