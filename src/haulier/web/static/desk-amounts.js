// Sum and rest of typed amounts, updated while typing. The server checks the amounts when the form is sent.
const form = document.querySelector("form.amounts");
const { available, currency, decimals, point } = form?.dataset ?? {};
const scale = 10 ** Number(decimals);
const written = new Intl.NumberFormat(document.documentElement.lang, { style: "currency", currency: currency || "EUR" });

function minorOf(text) {
  const [whole, part = ""] = text.split(point);
  const number = Number(`${whole.replace(/\D/g, "")}.${part.replace(/\D/g, "")}`);
  return Number.isFinite(number) ? Math.round(number * scale) : 0;
}

function show(output, minor) {
  if (!output) return;
  output.textContent = written.format(minor / scale);
  output.classList.toggle("bad", minor < 0);
}

function isCounted(input) {
  const box = input.closest("tr").querySelector('input[type="checkbox"]');
  return !box || box.checked;
}

function sumUp() {
  let sum = 0;
  for (const input of form.querySelectorAll("input[data-most]")) {
    const minor = isCounted(input) ? minorOf(input.value) : 0;
    input.classList.toggle("over", minor > Number(input.dataset.most));
    sum += minor;
  }
  show(form.querySelector("[data-sum]"), sum);
  show(form.querySelector("[data-rest]"), Number(available) - sum);
}

// Typing an amount selects its row.
form?.addEventListener("input", ({ target }) => {
  const box = target.matches("[data-most]") && target.closest("tr").querySelector('input[type="checkbox"]');
  if (box) box.checked = Boolean(target.value.trim());
  sumUp();
});
if (form) sumUp();
