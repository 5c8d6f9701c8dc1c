// Draw the ZPL files of a folder as PNG beside them, with an independent renderer (zebrash, MIT).
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ready } from "zpl-renderer-js";

const [folder, width, height] = process.argv.slice(2);
const DOTS_PER_MM = 8;
const { api } = await ready;
const drawn = [];
for (const name of readdirSync(folder).filter((each) => each.endsWith(".zpl")).sort()) {
  const zpl = readFileSync(join(folder, name), "utf8");
  const picture = await api.zplToBase64Async(zpl, width / DOTS_PER_MM, height / DOTS_PER_MM, DOTS_PER_MM);
  writeFileSync(join(folder, name.replace(/zpl$/, "png")), Buffer.from(picture, "base64"));
  drawn.push(name);
}
process.stdout.write(JSON.stringify(drawn), () => process.exit(0));
