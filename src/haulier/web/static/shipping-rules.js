/* Shipping rules: Alt with the arrow keys moves the focused rule. */
const chosen = location.hash && document.querySelector(location.hash);
if (chosen?.classList.contains("rule")) chosen.focus({ preventScroll: true });
document.querySelector(".rules")?.addEventListener("keydown", (event) => {
  const step = { ArrowUp: "up", ArrowDown: "down" }[event.key];
  const button = event.altKey && step && event.target.closest(".rule")?.querySelector(`[data-move="${step}"]`);
  if (!button) return;
  event.preventDefault();
  button.click();
});
