// The setup works without this file. With it, a country sets currency and time zones, and typed prices are shown
// as customers see them.
const form = document.querySelector(".first-step form");

const country = document.querySelector("[data-country-part] #country");
country?.addEventListener("change", async () => {
  const answer = await fetch(`${form.dataset.countryPart}&country=${encodeURIComponent(country.value)}`).catch(() => null);
  if (!answer?.ok) return;
  const { currency, time_zone, zones, facts } = await answer.json();
  const zone = document.getElementById("time_zone");
  document.getElementById("country-zones").replaceChildren(...zones.map(([value, text]) => new Option(text, value)));
  zone.value = time_zone;
  document.getElementById("currency").value = currency;
  document.getElementById("country-facts").textContent = facts;
});

const prices = document.querySelector("[data-example]");
let asked = 0;
let waiting;
async function show() {
  const mine = ++asked;
  const query = new URLSearchParams(new FormData(prices));
  query.delete("csrf");
  const answer = await fetch(`${prices.dataset.example}&${query}`).catch(() => null);
  if (!answer?.ok || mine !== asked) return;
  const parsed = new DOMParser().parseFromString(`<ul>${await answer.text()}</ul>`, "text/html");
  document.getElementById("example-prices").replaceChildren(...parsed.querySelector("ul").children);
}
prices?.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(show, 200);
});

for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) break;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
    button.textContent = button.dataset.done;
  });
}
