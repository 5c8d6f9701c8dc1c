// The GraphQL explorer: find a field, start a document with it, run it, and jump to errors.
const [find, fields, run, written, variables, rehearse, curl, said, faults, answer, about] = [
  "find", "fields", "run", "document", "variables", "rehearse", "curl", "said", "faults", "answer", "about",
].map((id) => document.getElementById(id));
const csrf = document.querySelector(".explorer").dataset.csrf;

function narrow() {
  const words = find.value.toLowerCase().split(/\s+/);
  for (const line of fields.children) line.hidden = !words.every((word) => line.dataset.words.includes(word));
}

async function begin(event) {
  const link = event.target.closest("a[data-field]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const told = await fetch(`/api/docs/graphql/fields/${encodeURIComponent(link.dataset.field)}`).catch(() => null);
  if (!told?.ok) return location.assign(link.href);
  const starter = await told.json();
  fields.querySelector("[aria-current]")?.removeAttribute("aria-current");
  link.setAttribute("aria-current", "true");
  history.replaceState(null, "", link.href);
  written.value = starter.document;
  variables.value = JSON.stringify(starter.variables, null, 2);
  describe(link.dataset.field, starter);
  written.focus();
}

function describe(name, starter) {
  about.replaceChildren(
    element("h2", name), element("p", starter.description, "description"),
    element("h3", "Arguments"), list(starter.arguments), element("h3", "Response"), list(starter.fields),
  );
}

function list(described) {
  const made = document.createElement("dl");
  for (const each of described) {
    const term = document.createElement("dt");
    term.append(element("code", `${each.name}: ${each.type}`));
    made.append(term, element("dd", each.description));
  }
  return made;
}

function element(kind, text, name = "") {
  const made = document.createElement(kind);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

function asked() {
  return { query: written.value, variables: JSON.parse(variables.value || "{}") };
}

async function ask(event) {
  event.preventDefault();
  faults.replaceChildren();
  let body;
  try {
    body = JSON.stringify(asked());
  } catch (fault) {
    faults.append(element("li", `The variables are not JSON: ${fault.message}`));
    return variables.focus();
  }
  const headers = { "Content-Type": "application/json", ...(csrf && { "X-Csrf": csrf }) };
  if (rehearse?.checked) headers["X-Dry-Run"] = "true";
  const sent = performance.now();
  const got = await fetch(csrf ? "/api/docs/graphql/run" : "/graphql", { method: "POST", headers, body }).catch(() => null);
  if (!got) return faults.append(element("li", "The server can’t be reached."));
  const shown = await got.json();
  answer.textContent = JSON.stringify(shown, null, 2);
  said.textContent = `${got.status} · ${Math.round(performance.now() - sent)} ms`;
  (shown.errors ?? (shown.message ? [shown] : [])).forEach(point);
}

// An error with its position: a click selects the line.
function point(fault) {
  const line = document.createElement("li");
  const place = fault.locations?.[0];
  if (place) {
    const button = element("button", `Line ${place.line}: ${fault.message}`, "plain");
    button.type = "button";
    button.addEventListener("click", () => select(place));
    line.append(button);
  } else {
    line.textContent = fault.message;
  }
  faults.append(line);
}

function select({ line, column }) {
  const lines = written.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  written.focus();
  written.setSelectionRange(start + column - 1, start + (lines[line - 1]?.length ?? 0));
}

async function copy() {
  const quoted = `'${JSON.stringify(asked()).replaceAll("'", "'\\''")}'`;
  const command = [
    `curl ${location.origin}/graphql`, "-H 'Content-Type: application/json'", '-H "Authorization: Bearer $HAULIER_TOKEN"', `-d ${quoted}`,
  ].join(" ");
  await navigator.clipboard.writeText(command).then(() => { said.textContent = "Copied."; }, () => { answer.textContent = command; });
}

find.addEventListener("input", narrow);
fields.addEventListener("click", begin);
run.addEventListener("submit", ask);
curl.addEventListener("click", copy);
run.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run.requestSubmit();
});
