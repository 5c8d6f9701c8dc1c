// The tracking form leads to a path, not to a query.
document.getElementById("track").addEventListener("submit", (event) => {
  event.preventDefault();
  const number = document.getElementById("number").value.trim();
  if (number) location.href = "/api/v1/tracking/" + encodeURIComponent(number);
});
