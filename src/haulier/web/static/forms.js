// Forms work without this file. With it, passwords can be shown, and the code of an email link is taken from
// the fragment of the address, which is never sent to a server and is then cleared.
for (const button of document.querySelectorAll("[data-shows]")) {
  const input = document.getElementById(button.dataset.shows);
  button.hidden = false;
  button.addEventListener("click", () => {
    const shown = input.type === "text";
    input.type = shown ? "password" : "text";
    button.setAttribute("aria-pressed", String(!shown));
  });
}

const form = document.querySelector("[data-from-link]");

function take() {
  const code = location.hash.slice(1);
  if (code.length < 20) return;
  history.replaceState(null, "", location.pathname + location.search);
  form.elements.token.value = code;
  // Keep typed values when the language changes.
  for (const link of document.querySelectorAll(".languages a")) link.hash = code;
  if (form.dataset.fromLink === "submit") form.submit();
  document.getElementById("field-token").hidden = true;
}

if (form) {
  take();
  addEventListener("hashchange", take);
}

// The country of a new business is guessed from it.
const zone = document.querySelector("[data-time-zone]");
if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
