import { TEXT_NAMES_MAX } from "../core/index.ts";
import { ownText } from "./line-splitter.ts";
import { isZoneName } from "./zone-name.ts";

/** The last characters of a UUID tell zones apart. */
const HASHED_CHARACTERS = 8;
const PLACES_MASK = 4_095;

/** Copied for each reader, which takes a hundredth of the time of making it. */
const NO_NAMES: readonly undefined[] = Array.from({ length: PLACES_MASK + 1 }, () => undefined);

/** A name that a reader met, and the last table it stood in. */
export interface PooledName {
  readonly name: string;
  /** Bytes of it as printed. */
  readonly printedLength: number;
  /** Letters, digits, `-`, `_`, `.` only. */
  readonly isZone: boolean;
  /** Number of the table in which the name was last seen; a reader finds a row that comes twice by it. */
  table: number;
}

/**
 * Gives each name one string of its own. Without it a name of 60 characters would hold on to the chunk of 256 KiB that it was cut
 * from for as long as any sample of the zone waits.
 */
export class NamePool {
  #names = new Map<string, PooledName>();
  #tables = 0;
  /** Names met lately, by their length and last characters; in a clash the later one stays. */
  readonly #lately: (PooledName | undefined)[] = NO_NAMES.slice();

  /** A number for a table that begins. */
  newTable(): number {
    this.#tables += 1;
    return this.#tables;
  }

  /** The name that stands in `text` from `at` up to the next colon or `end`. One met lately costs no string and no hash of all of it. */
  read(text: string, at: number, end: number): PooledName {
    const colon = text.indexOf(":", at);
    const nameEnd = colon === -1 || colon > end ? end : colon;
    const length = nameEnd - at;
    let place = length;
    for (let i = nameEnd - 1; i >= at && i >= nameEnd - HASHED_CHARACTERS; i--) place = (place * 31 + text.charCodeAt(i)) & PLACES_MASK;
    const lately = this.#lately[place];
    if (lately !== undefined && lately.printedLength === length && text.startsWith(lately.name, at)) return lately;
    const found = this.get(text.slice(at, nameEnd));
    this.#lately[place] = found;
    return found;
  }

  get(cut: string): PooledName {
    const known = this.#names.get(cut);
    if (known !== undefined) return known;
    if (this.#names.size >= TEXT_NAMES_MAX) {
      this.#names = new Map();
      this.#lately.fill(undefined);
    }
    const name = ownText(cut);
    const pooled: PooledName = { name, printedLength: cut.length, isZone: isZoneName(name), table: 0 };
    this.#names.set(name, pooled);
    return pooled;
  }
}
