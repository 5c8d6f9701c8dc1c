// The desk works without scripts; this adds the command palette, keyboard shortcuts and selection.
const palette = document.getElementById("palette");
const words = document.getElementById("palette-words");
const found = document.getElementById("palette-found");
let asked = 0;

function openPalette() {
  if (!palette.open) palette.showModal();
  words.select();
}

async function find() {
  const mine = ++asked;
  // Without a network nothing is found; the form still opens a page that shows the error.
  const answer = await fetch(`/desk/find?part=1&q=${encodeURIComponent(words.value)}`).catch(() => null);
  if (!answer?.ok || mine !== asked) return;
  const html = await answer.text();
  found.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
}

function moveFocus(by) {
  const links = [words, ...found.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement);
  links[(at + by + links.length) % links.length].focus();
}

document.getElementById("open-palette").hidden = false;
document.getElementById("plain-find").hidden = true;
document.getElementById("open-palette").addEventListener("click", openPalette);
words.addEventListener("input", find);
palette.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    moveFocus(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Enter" && document.activeElement === words) {
    const first = found.querySelector("a");
    if (first) {
      event.preventDefault();
      first.click();
    }
  }
});

// On a phone the rail is one scrolling line that must show the current page. Done at the first frame, as measuring now would
// lay out the whole page before its other scripts run.
requestAnimationFrame(() => document.querySelector(".rail [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }));

// On a phone the cells of a list are labelled by the names of their columns, said once per table to keep pages light.
for (const table of document.querySelectorAll(".row-cards")) {
  for (const [at, head] of [...table.tHead.rows[0].cells].entries()) {
    const text = head.textContent.trim();
    if (text) table.style.setProperty(`--label-${at + 1}`, JSON.stringify(`${text} `));
  }
}

// Rows come and go while the page is open, so they are looked up on use.
const list = () => document.querySelector(".grid.picks") ?? document.querySelector(".grid");
const rows = () => [...(list()?.tBodies[0].rows ?? [])].filter((row) => row.querySelector("a"));
const ticks = () => [...document.querySelectorAll('input[name="pick"]')];
const all = document.getElementById("tick-all");
let lastTick = null;

function goToRow(by) {
  const there = rows();
  const at = there.findIndex((row) => row.matches(".at"));
  there[at]?.classList.remove("at");
  const next = there[Math.min(Math.max(at + by, 0), there.length - 1)];
  next?.classList.add("at");
  next?.scrollIntoView({ block: "nearest" });
  if (next) document.dispatchEvent(new CustomEvent("desk:row", { detail: next }));
}

const allThatFit = document.getElementById("all-that-fit");

function tellTicked() {
  const count = ticks().filter((tick) => tick.checked).length;
  document.getElementById("ticked").textContent = count && !allThatFit?.checked ? `${count}` : "";
}

// Deselecting one row limits the selection to the rows of the page.
allThatFit?.addEventListener("change", () => {
  for (const tick of ticks()) tick.checked = allThatFit.checked;
  tellTicked();
});

if (all) {
  all.hidden = false;
  all.addEventListener("change", () => {
    for (const tick of ticks()) tick.checked = all.checked;
    if (allThatFit) allThatFit.checked = false;
    tellTicked();
  });
}
document.addEventListener("click", (event) => {
  const tick = event.target;
  if (!tick.matches?.('input[name="pick"]')) return;
  if (event.shiftKey && lastTick?.isConnected) {
    const there = ticks();
    const [from, to] = [there.indexOf(lastTick), there.indexOf(tick)].sort((one, other) => one - other);
    for (const each of there.slice(from, to + 1)) each.checked = tick.checked;
  }
  lastTick = tick;
  if (allThatFit && !tick.checked) allThatFit.checked = false;
  tellTicked();
});

// Rare filters are fetched when opened; as a link they open the same page with all filters.
document.getElementById("more-filters")?.addEventListener("click", async (event) => {
  const link = event.currentTarget;
  event.preventDefault();
  const answer = await fetch(link.href).catch(() => null);
  const part = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("all-filters");
  if (!part) return location.assign(link.href);
  link.replaceWith(part);
  part.querySelector("summary").focus();
});

function openViewMenu() {
  document.getElementById("view-menu").open = true;
  document.getElementById("view-name").focus();
}

// 0 is the list without a view, 1 the first view.
const openView = (at) => document.querySelectorAll(".views nav a")[at]?.click();

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    openPalette();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || palette.open || event.target.matches("input, textarea, select")) return;
  const act = { j: () => goToRow(1), k: () => goToRow(-1), "/": openPalette, z: () => document.getElementById("undo")?.click() }[event.key];
  // Beside an open record, arrow keys move through the list; elsewhere they scroll.
  const arrow = document.querySelector(".beside-drawer.open") && { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (arrow) {
    event.preventDefault();
    return goToRow(arrow);
  }
  if (act) {
    event.preventDefault();
    act();
  } else if (event.key === "x") {
    document.querySelector('tr.at input[name="pick"]')?.click();
  } else if (event.key === "v" && document.getElementById("view-menu")) {
    event.preventDefault(); // or the letter is in the name
    openViewMenu();
  } else if (/^[0-9]$/.test(event.key)) {
    openView(Number(event.key));
  } else if (event.key === "o") {
    const link = document.querySelector("tr.at a");
    if (link) location.assign(link.href);
  } else {
    // An action of the record; its page asks for confirmation.
    document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
  }
});
