// The desk without scripts is whole; this adds the palette, keys and ticking.
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
  // Without a network nothing is found; the form still leads to the page that says why.
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

const rows = [...document.querySelectorAll("tr[data-address]")];
const ticks = [...document.querySelectorAll('input[name="pick"]')];
const all = document.getElementById("tick-all");
let at = -1;
let lastTick = null;

function goToRow(by) {
  rows[at]?.classList.remove("at");
  at = Math.min(Math.max(at + by, 0), rows.length - 1);
  rows[at]?.classList.add("at");
  rows[at]?.scrollIntoView({ block: "nearest" });
}

function tellTicked() {
  const count = ticks.filter((tick) => tick.checked).length;
  document.getElementById("ticked").textContent = count ? `${count}` : "";
}

if (all) {
  all.hidden = false;
  all.addEventListener("change", () => {
    for (const tick of ticks) tick.checked = all.checked;
    tellTicked();
  });
}
for (const tick of ticks) {
  tick.addEventListener("click", (event) => {
    if (event.shiftKey && lastTick) {
      const [from, to] = [ticks.indexOf(lastTick), ticks.indexOf(tick)].sort((one, other) => one - other);
      for (const each of ticks.slice(from, to + 1)) each.checked = tick.checked;
    }
    lastTick = tick;
    tellTicked();
  });
}

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    openPalette();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || palette.open || event.target.matches("input, textarea, select")) return;
  const act = { j: () => goToRow(1), k: () => goToRow(-1), "/": openPalette }[event.key];
  if (act) {
    event.preventDefault();
    act();
  } else if (event.key === "x" && rows[at]) {
    rows[at].querySelector('input[name="pick"]')?.click();
  } else if (event.key === "o" && rows[at]) {
    location.assign(rows[at].dataset.address);
  }
});
