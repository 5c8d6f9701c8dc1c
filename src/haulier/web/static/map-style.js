// The style of street maps: Protomaps layers of each region over world outlines, in two muted palettes, so that routes and
// markers stand out.
import { layers, namedFlavor } from "./vendor/protomaps-basemaps.js";

const VENDOR = new URL("/static/vendor/", location.origin).href;
const LIGHT = {
  background: "#c3dce6", earth: "#f4f2ec", water: "#c3dce6", buildings: "#e5e1d8", pedestrian: "#efece2", pier: "#ebe7dd",
  park_a: "#dfecd6", park_b: "#d3e6c8", wood_a: "#d9e8d0", wood_b: "#cfe2c4", scrub_a: "#e1eadb", scrub_b: "#d9e5d1", zoo: "#deead9",
  hospital: "#f6e6e3", school: "#f1ebdd", industrial: "#ebeaea", sand: "#f2ead2", beach: "#f2ead2", glacier: "#f6fafb",
  other: "#ffffff", minor_service: "#ffffff", minor_a: "#ffffff", minor_b: "#ffffff", link: "#ffffff", major: "#ffffff", highway: "#fdecc0",
  minor_service_casing: "#e4e0d6", minor_casing: "#dcd8cd", link_casing: "#d5d0c3", major_casing_early: "#d5d0c3", major_casing_late: "#d5d0c3",
  highway_casing_early: "#e2c887", highway_casing_late: "#e2c887", railway: "#bdbab2", boundaries: "#a9a59b",
  bridges_other: "#ffffff", bridges_minor: "#ffffff", bridges_link: "#ffffff", bridges_major: "#ffffff", bridges_highway: "#fdecc0",
  bridges_other_casing: "#dcd8cd", bridges_minor_casing: "#dcd8cd", bridges_link_casing: "#d5d0c3", bridges_major_casing: "#d5d0c3", bridges_highway_casing: "#e2c887",
  roads_label_minor: "#5f5d57", roads_label_minor_halo: "#ffffff", roads_label_major: "#4c4a45", roads_label_major_halo: "#ffffff",
  address_label: "#807c73", address_label_halo: "#f4f2ec", subplace_label: "#716d64", subplace_label_halo: "#f7f5f0", city_label: "#3b3a36",
  city_label_halo: "#f7f5f0", state_label: "#8d897f", state_label_halo: "#f7f5f0", country_label: "#77736a", ocean_label: "#4f7f95",
};
const DARK = {
  background: "#10222a", earth: "#1a2320", water: "#10222a", buildings: "#232e2a", pedestrian: "#1f2926", pier: "#232e2a",
  park_a: "#1c2f25", park_b: "#1e3428", wood_a: "#1b2d23", wood_b: "#1c3025", scrub_a: "#1c2b24", scrub_b: "#1d2d25", zoo: "#1c2d25",
  hospital: "#2a2523", school: "#262620", industrial: "#1e2626", sand: "#27271f", beach: "#2a2920", glacier: "#22302e",
  other: "#2f3b37", minor_service: "#2f3b37", minor_a: "#34413c", minor_b: "#34413c", link: "#3d4b46", major: "#3d4b46", highway: "#54574a",
  minor_service_casing: "#19211e", minor_casing: "#161d1a", link_casing: "#161d1a", major_casing_early: "#131a17", major_casing_late: "#131a17",
  highway_casing_early: "#131a17", highway_casing_late: "#131a17", railway: "#3a4541", boundaries: "#5d6b66",
  bridges_other: "#2f3b37", bridges_minor: "#34413c", bridges_link: "#3d4b46", bridges_major: "#3d4b46", bridges_highway: "#54574a",
  bridges_other_casing: "#161d1a", bridges_minor_casing: "#161d1a", bridges_link_casing: "#161d1a", bridges_major_casing: "#131a17", bridges_highway_casing: "#131a17",
  roads_label_minor: "#9ba7a1", roads_label_minor_halo: "#161d1a", roads_label_major: "#b3beb9", roads_label_major_halo: "#161d1a",
  address_label: "#76837d", address_label_halo: "#1a2320", subplace_label: "#8a9791", subplace_label_halo: "#161d1a", city_label: "#c6d0cb",
  city_label_halo: "#161d1a", state_label: "#6d7974", state_label_halo: "#161d1a", country_label: "#8c9893", ocean_label: "#5f8ca1",
};
const OUTLINES = new Set(["background", "earth", "water", "boundaries_country", "places_locality"]);
const OUTLINES_UNTIL_ZOOM = 12; // above it, outlines that are a kilometre off are misleading

function flavour(dark) {
  const { pois, landcover, ...base } = namedFlavor(dark ? "dark" : "light");
  return { ...base, ...(dark ? DARK : LIGHT), minor_early: dark ? "#2c3834" : "#dcd8cd", regular: "NotoSans-Regular", bold: "NotoSans-Medium", italic: "NotoSans-Italic" };
}

// World outlines stay below every region, whose own land covers them.
function world(look, lang) {
  const drawn = layers("world", look, { lang }).filter(({ id }) => OUTLINES.has(id));
  return drawn.map((layer) => ({ ...layer, id: `world-${layer.id}`, ...(layer.type !== "background" && { maxzoom: OUTLINES_UNTIL_ZOOM }) }));
}

// Roads of other tile builders may lack the zoom that sorts labels.
function sorted(layer) {
  const key = layer.layout?.["symbol-sort-key"];
  return key ? { ...layer, layout: { ...layer.layout, "symbol-sort-key": ["to-number", key, 15] } } : layer;
}

// Town streets show from zoom 11, as thin lines darker than the ground.
function early(layer, look) {
  if (layer.id !== "roads_minor") return layer;
  const width = ["interpolate", ["exponential", 1.6], ["zoom"], 11, 0.5, 12.5, 0.8, 15, 2, 18, 11];
  return { ...layer, paint: { "line-color": ["interpolate", ["linear"], ["zoom"], 12, look.minor_early, 13, look.minor_a], "line-width": width } };
}

const region = (name, look, lang) =>
  layers(name, look, { lang }).filter(({ type }) => type !== "background").map((layer) => ({ ...early(sorted(layer), look), id: `${name}-${layer.id}` }));

// The ground in a language: { style, firstLabel }. Our layers go before `firstLabel`.
export function ground({ dark, lang, regions, tiles }) {
  const look = flavour(dark);
  const sources = { world: { type: "vector", url: `pmtiles://${VENDOR}world.pmtiles`, attribution: "Natural Earth" } };
  const drawn = world(look, lang);
  if (tiles) {
    const hosts = tiles.address.includes("{s}") ? ["a", "b", "c"] : [""];
    sources.tiles = { type: "raster", tileSize: 256, maxzoom: 19, attribution: tiles.credit, tiles: hosts.map((host) => tiles.address.replace("{s}", host)) };
    drawn.push({ id: "tiles", type: "raster", source: "tiles", paint: dark ? { "raster-brightness-max": 0.7, "raster-saturation": -0.3 } : {} });
  }
  regions.forEach((each, at) => {
    sources[`region${at}`] = { type: "vector", url: `pmtiles://${new URL(each.url, location.href).href}`, attribution: each.attribution };
    drawn.push(...region(`region${at}`, look, lang));
  });
  const labels = drawn.filter(({ type }) => type === "symbol");
  drawn[0].paint = { "background-color": look.earth };
  return {
    firstLabel: labels[0]?.id, sea: ["step", ["zoom"], look.background, OUTLINES_UNTIL_ZOOM, look.earth],
    style: {
      version: 8, sources, glyphs: `${VENDOR}glyphs/{fontstack}/{range}.pbf`, sprite: `${VENDOR}sprites/${dark ? "dark" : "light"}`,
      layers: [...drawn.filter(({ type }) => type !== "symbol"), ...labels],
    },
  };
}
