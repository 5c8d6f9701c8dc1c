// Copies the sign-in link of an invitation.
const link = document.getElementById("sign-in-link");
const copy = document.getElementById("copy-link");
copy.hidden = !navigator.clipboard;
copy.addEventListener("click", async () => {
  await navigator.clipboard.writeText(link.value);
  copy.textContent = document.getElementById("copy-told").textContent = link.dataset.copied;
});
link.addEventListener("focus", () => link.select());
