// Leaves question words out of a search: the theme would match everything that begins with them. Plurals become singulars,
// which match both.
const LEFT_OUT = new Set(("a an and are by can do does for from get how i in is it mean meaning means my of on or our the their " +
  "this to was we what when where which who why with you your").split(" "));

addEventListener("message", (event) => {
  if (event.data?.type !== 2 || event.cleaned || typeof event.data.data !== "string") return;
  const words = event.data.data.replace(/[?!]/g, " ").replace(/['\u2019]s\b/g, "").split(/\s+/).filter(Boolean);
  const kept = words.filter((word, at) => !LEFT_OUT.has(word.toLowerCase()) || (at === words.length - 1 && words.length === 1));
  event.stopImmediatePropagation();
  const singular = kept.map((word) => (/[^s]s$/i.test(word) && word.length > 4 ? word.slice(0, -1) : word));
  const again = new MessageEvent("message", { data: { type: 2, data: (kept.length ? singular : words).join(" ") } });
  again.cleaned = true;
  dispatchEvent(again);
});
