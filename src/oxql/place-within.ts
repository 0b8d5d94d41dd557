import type { TextPosition } from "../core/index.ts";

/** Where `name` stands as a whole word within `place`, the first time; `place` itself where that cannot be told, or is on a later line. */
export function placeWithin(text: string, place: TextPosition, name: string): TextPosition {
  const source = text.slice(place.offset, place.offset + place.length);
  const at = source.search(new RegExp(`(?<![a-z0-9_])${name}(?![a-z0-9_])`));
  if (at === -1 || source.slice(0, at).includes("\n")) return place;
  return { offset: place.offset + at, length: name.length, line: place.line, column: place.column + at };
}
