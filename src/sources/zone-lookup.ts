import type { NamePool, PooledName } from "./name-pool.ts";

const LF = 10;
const COLON = 58;
const PLACES_MASK = 4_095;

/** Copied for each reader, which takes a hundredth of the time of making it. */
const NO_ZONES: readonly undefined[] = Array.from({ length: PLACES_MASK + 1 }, () => undefined);

interface KnownZone {
  readonly name: PooledName;
  /** As printed. */
  readonly view: DataView;
}

/** Finds the pooled name that stands in bytes, without a string for one met lately. */
export class ZoneLookup {
  readonly #names: NamePool;
  /** By length and last characters; in a clash the later one stays. */
  readonly #known: (KnownZone | undefined)[] = NO_ZONES.slice();

  constructor(names: NamePool) {
    this.#names = names;
  }

  /** The zone that stands at `start` up to a colon; null where that is no zone's name. There must be a colon or an end of line. */
  read(bytes: Uint8Array, view: DataView, start: number): PooledName | null {
    let end = start;
    while (bytes[end] !== COLON && bytes[end] !== LF) end += 1;
    const length = end - start;
    if (length === 0 || bytes[end] === LF) return null;
    // The end of a UUID tells zones apart.
    const last = length < 8 ? bytes[end - 1]! : Math.imul(view.getUint32(end - 8, true), 0x9e37_79b1) ^ view.getUint32(end - 4, true);
    const place = (Math.imul(last, 0x85eb_ca6b) >>> 20) & PLACES_MASK;
    const known = this.#known[place];
    if (known !== undefined && known.view.byteLength === length && isAt(known.view, view, start)) return known.name;
    const printed = Uint8Array.from(bytes.subarray(start, end));
    const name = this.#names.get(Buffer.from(printed.buffer).toString("latin1"));
    if (!name.isZone) return null;
    this.#known[place] = { name, view: new DataView(printed.buffer) };
    return name;
  }
}

function isAt(own: DataView, view: DataView, start: number): boolean {
  const length = own.byteLength;
  let at = 0;
  for (; at + 4 <= length; at += 4) if (view.getUint32(start + at, true) !== own.getUint32(at, true)) return false;
  for (; at < length; at++) if (view.getUint8(start + at) !== own.getUint8(at)) return false;
  return true;
}
