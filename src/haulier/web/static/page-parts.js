// Helpers that create parts of a page. Server texts are never parsed as markup.

// An element with attributes and children; null and false children are left out, functions named on… are listeners.
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value == null || value === false) continue;
    if (typeof value === "function") made.addEventListener(key.slice(2), value);
    else if (key === "value") made.value = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child != null && child !== false));
  return made;
}

// A message with its parameters.
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

const digits = (currency) => new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits;

export function money(minor, currency) {
  const amount = minor / 10 ** digits(currency);
  return new Intl.NumberFormat(document.documentElement.lang, { style: "currency", currency }).format(amount);
}

// An entered amount in minor units; null if empty, NaN if invalid.
export function minorOf(text, currency) {
  const said = text.trim().replace(",", ".");
  if (!said) return null;
  return /^\d+(\.\d+)?$/.test(said) ? Math.round(Number(said) * 10 ** digits(currency)) : Number.NaN;
}

export const amountOf = (minor, currency) => (minor / 10 ** digits(currency)).toFixed(digits(currency));

// A time of day in the time zone of the business, whatever the phone's.
export const clock = (moment) =>
  new Date(moment).toLocaleTimeString(document.documentElement.lang, {
    hour: "2-digit",
    minute: "2-digit",
    timeZone: document.querySelector("[data-zone]").dataset.zone,
  });

export function labelled(id, label, input, hint) {
  input.id = id;
  return el("div", { class: "field" }, el("label", { for: id }, label), input, hint && el("p", { class: "hint" }, hint));
}

const PICTURE_MOST_PX = 1600;

// A picture as JPEG in base64, small enough for a slow network.
export async function readPicture(file) {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, PICTURE_MOST_PX / Math.max(picture.width, picture.height));
  const canvas = el("canvas", { width: Math.round(picture.width * scale), height: Math.round(picture.height * scale) });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/jpeg", 0.8);
}

// The action, which a second press does not start again while it runs.
export function oneAtATime(act) {
  let running = false;
  return async (...words) => {
    if (running) return;
    running = true;
    try {
      await act(...words);
    } finally {
      running = false;
    }
  };
}
