import { TEXT_NAMES_MAX } from "../core/index.ts";
import { ownText } from "./line-splitter.ts";
import { isZoneName } from "./zone-name.ts";

/** A name that a reader met, and the last table it stood in. */
export interface PooledName {
  readonly name: string;
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

  /** A number for a table that begins. */
  newTable(): number {
    this.#tables += 1;
    return this.#tables;
  }

  get(cut: string): PooledName {
    const known = this.#names.get(cut);
    if (known !== undefined) return known;
    if (this.#names.size >= TEXT_NAMES_MAX) this.#names = new Map();
    const name = ownText(cut);
    const pooled = { name, isZone: isZoneName(name), table: 0 };
    this.#names.set(name, pooled);
    return pooled;
  }
}
