// A list or record that keeps itself fresh. Rows do not jump: what changed is renewed where it stands, what fits no longer turns
// pale, and what is new waits behind a button. Without this file the page is whole, and reloading it tells the same.
const rows = document.getElementById("rows");
const record = document.getElementById("record");
const news = document.querySelector(".news");
const parsed = (html) => new DOMParser().parseFromString(html, "text/html");
const rowsOf = (html) => [...parsed(`<table><tbody>${html}</tbody></table>`).querySelectorAll("tbody > tr")];
const text = (row) => row.textContent.replace(/\s+/g, " ");
let latest = [];

// Nothing that is ticked, chosen or focused is lost when a row is replaced.
function renew(old, fresh) {
  const tick = fresh.querySelector('input[name="pick"]');
  if (tick) tick.checked = old.querySelector('input[name="pick"]')?.checked ?? false;
  const focused = [...old.querySelectorAll("a, input")].indexOf(document.activeElement);
  fresh.classList.toggle("at", old.matches(".at"));
  fresh.classList.add("changed");
  old.replaceWith(fresh);
  if (focused >= 0) [...fresh.querySelectorAll("a, input")][focused]?.focus();
}

function takeRows(html) {
  latest = rowsOf(html);
  const shown = new Map([...rows.rows].map((row) => [row.dataset.id, row]));
  const told = new Set(latest.map((row) => row.dataset.id));
  for (const fresh of latest) {
    const old = shown.get(fresh.dataset.id);
    if (old && (text(old) !== text(fresh) || old.matches(".gone"))) renew(old, document.importNode(fresh, true));
  }
  const coming = latest.filter((row) => !shown.has(row.dataset.id)).length;
  const lastKept = [...rows.rows].findLastIndex((row) => told.has(row.dataset.id));
  // What new rows pushed over the edge of the page still fits the list.
  [...rows.rows].forEach((row, at) => row.classList.toggle("gone", !told.has(row.dataset.id) && (at < lastKept || !coming)));
  news.hidden = !coming;
  const button = news.querySelector("button");
  button.textContent = button.dataset.words.replace("{count}", coming);
}

function showNew() {
  if (rows.closest("[hidden]")) return location.reload();
  const shown = new Map([...rows.rows].map((row) => [row.dataset.id, row]));
  rows.replaceChildren(
    ...latest.map((fresh) => {
      const old = shown.get(fresh.dataset.id);
      if (!old) fresh.classList.add("changed");
      return old ?? document.importNode(fresh, true);
    }),
  );
  news.hidden = true;
  rows.querySelector("a")?.focus();
}

function takeRecord(html) {
  const fresh = parsed(html).body;
  const values = (part) => [...part.querySelectorAll(".facts > dl > dd")];
  const before = new Map(values(record).map((value) => [text(value.previousElementSibling), text(value)]));
  for (const value of values(fresh)) {
    if (before.get(text(value.previousElementSibling)) !== text(value)) value.classList.add("changed");
  }
  const open = record.querySelector("details")?.open;
  const focused = record.contains(document.activeElement) && document.activeElement.getAttribute("href");
  record.replaceChildren(...fresh.childNodes);
  const more = record.querySelector("details");
  if (more && open) more.open = true;
  if (focused) record.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

news?.querySelector("button").addEventListener("click", showNew);
const address = (rows ?? record)?.dataset.live;
let listening = null;

// A page that nobody looks at asks for nothing; it catches up when it is seen again.
function listen() {
  if (document.hidden) {
    listening?.close();
    listening = null;
  } else if (address && !listening) {
    listening = new EventSource(address);
    listening.onmessage = (event) => {
      const { html } = JSON.parse(event.data);
      if (rows) takeRows(html);
      else takeRecord(html);
    };
  }
}

document.addEventListener("visibilitychange", listen);
addEventListener("pagehide", () => listening?.close());
listen();
