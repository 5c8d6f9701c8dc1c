// Inputs that choose a record or a name. Typing alone works, as the server resolves names; this script adds a list.
const WAIT_MS = 120;

class Picker {
  constructor(input, field, multiple) {
    Object.assign(this, { input, field, multiple, at: -1, asked: 0, options: [] });
    input.removeAttribute("list");
    this.list = document.createElement("ul");
    this.list.className = "options";
    this.list.id = `${input.id}-options`;
    this.list.hidden = true;
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", input.labels?.[0]?.textContent.trim() ?? input.getAttribute("aria-label") ?? "");
    input.after(this.list);
    for (const [name, value] of Object.entries({ role: "combobox", "aria-expanded": "false", "aria-controls": this.list.id, "aria-autocomplete": "list" }))
      input.setAttribute(name, value);
    input.addEventListener("input", () => {
      this.forget?.();
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.find(), WAIT_MS);
    });
    input.addEventListener("focus", () => this.find(input.value === input.defaultValue));
    input.addEventListener("click", () => this.list.hidden && this.find(true));
    input.addEventListener("blur", () => this.close());
    input.addEventListener("keydown", (event) => this.key(event));
    this.list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const option = event.target.closest("[role=option]");
      if (option) this.choose(Number(option.dataset.at));
    });
  }

  async find(all = false) {
    const mine = ++this.asked;
    const query = all ? "" : this.input.value;
    // Without a network the name can still be typed in full.
    const answer = await fetch(`/desk/options/${this.input.dataset.picks}?q=${encodeURIComponent(query)}`).catch(() => null);
    if (!answer?.ok || mine !== this.asked || document.activeElement !== this.input) return;
    this.options = await answer.json();
    this.show();
  }

  show() {
    this.at = -1;
    const items = this.options.map(([, name], at) => {
      const item = document.createElement("li");
      Object.assign(item, { id: `${this.list.id}-${at}`, textContent: name });
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      item.dataset.at = at;
      return item;
    });
    if (!items.length) {
      const none = document.createElement("li");
      none.className = "none";
      none.setAttribute("role", "option");
      none.setAttribute("aria-disabled", "true");
      none.textContent = this.input.dataset.none;
      items.push(none);
    }
    this.list.replaceChildren(...items);
    this.list.hidden = false;
    this.input.setAttribute("aria-expanded", "true");
  }

  close() {
    clearTimeout(this.waiting);
    this.asked += 1;
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  move(by) {
    if (this.list.hidden) return this.find(true);
    const count = this.options.length;
    if (!count) return;
    this.list.children[this.at]?.setAttribute("aria-selected", "false");
    this.at = (this.at + by + count) % count;
    const chosen = this.list.children[this.at];
    chosen.setAttribute("aria-selected", "true");
    chosen.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", chosen.id);
  }

  key(event) {
    const act = { ArrowDown: () => this.move(1), ArrowUp: () => this.move(-1), Escape: () => this.close() }[event.key];
    if (act && !(event.key === "Escape" && this.list.hidden)) {
      event.preventDefault();
      event.stopPropagation();
      act();
    } else if (event.key === "Enter" && !this.list.hidden && this.options.length && this.input.value) {
      event.preventDefault();
      this.choose(Math.max(this.at, 0));
    }
  }

  choose(at) {
    const [value, name] = this.options[at];
    this.take(value, name);
    this.close();
  }
}

function hidden(field, value) {
  const input = document.createElement("input");
  Object.assign(input, { type: "hidden", name: field, value });
  return input;
}

function one(input) {
  const picker = new Picker(input, input.dataset.field, false);
  const held = hidden(input.dataset.field, input.dataset.chosen);
  input.after(held);
  picker.forget = () => (held.value = "");
  picker.take = (value, name) => {
    held.value = value;
    input.value = name;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    // Other scripts, such as the price of an order, see a choice as typing.
    const forget = picker.forget;
    picker.forget = undefined;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    clearTimeout(picker.waiting);
    picker.forget = forget;
  };
}

function several(area) {
  const box = document.createElement("div");
  box.className = "picker several";
  const input = document.createElement("input");
  const { picks, field, none } = area.dataset;
  Object.assign(input, { id: area.id, autocomplete: "off", placeholder: area.dataset.search });
  Object.assign(input.dataset, { picks, none });
  for (const name of ["aria-describedby", "aria-invalid"]) if (area.hasAttribute(name)) input.setAttribute(name, area.getAttribute(name));
  const add = (value, name) => {
    if ([...box.querySelectorAll("input[type=hidden]")].some((each) => each.value === value)) return;
    const chip = document.createElement("span");
    chip.className = "chip";
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: "×" });
    button.setAttribute("aria-label", area.dataset.remove.replace("{name}", name));
    button.addEventListener("click", () => {
      chip.remove();
      require();
      input.focus();
    });
    chip.append(name, button, hidden(field, value));
    input.before(chip);
    require();
  };
  const needed = area.required;
  const require = () => (input.required = needed && !box.querySelector(".chip"));
  const ids = area.dataset.chosen.split(" ").filter(Boolean);
  const names = area.value.split("\n").filter(Boolean);
  box.append(input);
  area.replaceWith(box);
  box.nextElementSibling?.matches(".hint") && box.nextElementSibling.remove();
  if (ids.length === names.length) ids.forEach((id, at) => add(id, names[at]));
  require();
  const picker = new Picker(input, field, true);
  picker.take = (value, name) => {
    add(value, name);
    input.value = "";
  };
  input.addEventListener("keydown", (event) => {
    if (event.key === "Backspace" && !input.value) box.querySelector(".chip:last-of-type button")?.click();
  });
}

function enhance(place) {
  for (const input of place.querySelectorAll("input[data-picks]:not([role])")) one(input);
  for (const area of place.querySelectorAll("textarea[data-picks]")) if (!area.value || area.dataset.chosen) several(area);
}

enhance(document);
document.addEventListener("haulier:fields", (event) => enhance(event.target));
