// A reader of Mapbox vector tiles: { layer: [{ type, tags, parts }] } with points from 0 to 1 across the tile.
class Fields {
  constructor(bytes, at = 0, end = bytes.length) { Object.assign(this, { bytes, at, end, text: new TextDecoder() }); }
  number() {
    let value = 0, factor = 1, byte;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      factor *= 128;
    } while (byte > 127);
    return value;
  }
  part() { const size = this.number(); const made = new Fields(this.bytes, this.at, this.at + size); this.at += size; return made; }
  words() { const { at, end } = this.part(); return this.text.decode(this.bytes.subarray(at, end)); }
  numbers() { const part = this.part(), all = []; while (part.at < part.end) all.push(part.number()); return all; }
  skip(wire) {
    if (wire === 0) this.number();
    else this.at += wire === 2 ? this.number() : wire === 5 ? 4 : 8;
  }
  // Calls `read[field]()` for each field of a message that it names.
  each(read) {
    while (this.at < this.end) {
      const key = this.number(), act = read[key >> 3];
      if (act) act();
      else this.skip(key & 7);
    }
  }
}

const unfold = (value) => (value % 2 ? -(value + 1) / 2 : value / 2);

function partsOf(commands, extent) {
  const parts = [];
  let x = 0, y = 0, at = 0;
  while (at < commands.length) {
    const command = commands[at] & 7, count = commands[at++] >> 3;
    if (command === 7) { parts.at(-1)?.push(parts.at(-1)[0]); continue; }
    for (let n = 0; n < count; n++) {
      x += unfold(commands[at++]);
      y += unfold(commands[at++]);
      if (command === 1) parts.push([]);
      parts.at(-1).push([x / extent, y / extent]);
    }
  }
  return parts;
}

function valueOf(fields) {
  let value = null;
  fields.each({ 1: () => (value = fields.words()), 4: () => (value = fields.number()), 5: () => (value = fields.number()), 6: () => (value = unfold(fields.number())), 7: () => (value = fields.number()) });
  return value;
}

function layerOf(fields, wanted) {
  const keys = [], values = [], features = [];
  let name = "", extent = 4096;
  fields.each({ 1: () => (name = fields.words()), 2: () => features.push(fields.part()), 3: () => keys.push(fields.words()), 4: () => values.push(valueOf(fields.part())), 5: () => (extent = fields.number()) });
  if (!wanted.has(name)) return [name, []];
  return [name, features.map((each) => {
    let type = 0, pairs = [], commands = [];
    each.each({ 2: () => (pairs = each.numbers()), 3: () => (type = each.number()), 4: () => (commands = each.numbers()) });
    const tags = {};
    for (let at = 0; at < pairs.length; at += 2) tags[keys[pairs[at]]] = values[pairs[at + 1]];
    return { type, tags, parts: partsOf(commands, extent) };
  })];
}

export function readTile(buffer, wanted) {
  const fields = new Fields(new Uint8Array(buffer)), layers = {};
  fields.each({ 3: () => { const [name, features] = layerOf(fields.part(), wanted); layers[name] = features; } });
  return layers;
}
