import { mkdir, open, readFile, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { IDENTITY_FILE_MAX_BYTES, ZonemeterError, messageOf } from "../core/index.ts";
import type { Diagnostic } from "./source.ts";

/** What the identity book keeps on disk. */
export interface IdentityState {
  /** No stamp later than this was given out since the file was written. */
  readonly ceilingNs: bigint;
  /** The clocks when the file was written, and how far stamps were ahead of the wall clock. */
  readonly wallNs: bigint;
  readonly monotonicNs: bigint;
  readonly aheadNs: bigint;
  readonly zones: readonly RememberedZone[];
}

export interface RememberedZone {
  readonly subjectKey: string;
  readonly incarnation: string;
  readonly startTimeNs: bigint;
  readonly lastStampNs: bigint;
}

const FORMAT = 1;

/** `start-times.json` in the state directory. Every write replaces it whole: a new file, flushed to the disk, renamed over the old one. */
export class IdentityFile {
  readonly path: string;
  readonly #stateDir: string;

  constructor(stateDir: string) {
    this.#stateDir = stateDir;
    this.path = join(stateDir, "start-times.json");
  }

  /**
   * What was written last, or null where nothing was. A file that cannot be understood is moved to `start-times.json.damaged` and described
   * in the diagnostic. Rejects with `unavailable` where the directory cannot be made or the file cannot be read.
   */
  async load(): Promise<{ state: IdentityState | null; diagnostic: Diagnostic | null }> {
    let text: string;
    try {
      await mkdir(this.#stateDir, { recursive: true, mode: 0o750 });
      // What a kill in the middle of a write left behind.
      await unlink(`${this.path}.new`).catch(() => undefined);
      if ((await stat(this.path)).size > IDENTITY_FILE_MAX_BYTES) return await this.#setAside("it is too large");
      text = await readFile(this.path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return { state: null, diagnostic: null };
      throw this.#unavailable(error);
    }
    try {
      return { state: decode(text), diagnostic: null };
    } catch (error) {
      return await this.#setAside(messageOf(error));
    }
  }

  /** Rejects with `unavailable` where it cannot be written; the old file is whole then. */
  async store(state: IdentityState): Promise<void> {
    const fresh = `${this.path}.new`;
    try {
      const file = await open(fresh, "w", 0o640);
      try {
        await file.writeFile(encode(state));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(fresh, this.path);
      const directory = await open(this.#stateDir, "r");
      // Some file systems cannot flush a directory; the rename is atomic all the same.
      await directory.sync().catch(() => undefined);
      await directory.close();
    } catch (error) {
      throw this.#unavailable(error);
    }
  }

  async #setAside(why: string): Promise<{ state: null; diagnostic: Diagnostic }> {
    const aside = `${this.path}.damaged`;
    await rename(this.path, aside).catch((error: unknown) => {
      throw this.#unavailable(error);
    });
    const text = `The remembered start times in ${this.path} could not be used (${why}); they were moved to ${aside} and zones get new ones.`;
    return { state: null, diagnostic: { code: "identity-file-damaged", text, line: null } };
  }

  #unavailable(cause: unknown): ZonemeterError {
    const text = `The state directory ${this.#stateDir} cannot be used (${messageOf(cause)}); make it writable for this user or name another one.`;
    return new ZonemeterError("unavailable", text, { cause });
  }
}

function encode(state: IdentityState): string {
  return JSON.stringify({
    format: FORMAT,
    ceilingNs: state.ceilingNs.toString(),
    wallNs: state.wallNs.toString(),
    monotonicNs: state.monotonicNs.toString(),
    aheadNs: state.aheadNs.toString(),
    zones: state.zones.map((zone) => [zone.subjectKey, zone.incarnation, zone.startTimeNs.toString(), zone.lastStampNs.toString()]),
  });
}

function decode(text: string): IdentityState {
  const root: unknown = JSON.parse(text);
  if (typeof root !== "object" || root === null) throw new Error("it holds no object");
  const { format, zones, ...times } = root as Record<string, unknown>;
  if (format !== FORMAT) throw new Error(`its format is ${JSON.stringify(format)}, not ${FORMAT}`);
  if (!Array.isArray(zones)) throw new Error("it has no list of zones");
  return {
    ceilingNs: integer(times["ceilingNs"], "ceilingNs"),
    wallNs: integer(times["wallNs"], "wallNs"),
    monotonicNs: integer(times["monotonicNs"], "monotonicNs"),
    aheadNs: integer(times["aheadNs"], "aheadNs"),
    zones: zones.map((row: unknown) => {
      if (!Array.isArray(row) || typeof row[0] !== "string" || typeof row[1] !== "string")
        throw new Error("a zone in it has no name or incarnation");
      return {
        subjectKey: row[0],
        incarnation: row[1],
        startTimeNs: integer(row[2], "a start time"),
        lastStampNs: integer(row[3], "a stamp"),
      };
    }),
  };
}

function integer(value: unknown, what: string): bigint {
  if (typeof value !== "string" || !/^-?\d{1,20}$/.test(value)) throw new Error(`${what} in it is not an integer`);
  return BigInt(value);
}
