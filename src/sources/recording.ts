import { createReadStream, type ReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { FORMAT_PROBE_BYTES, messageOf, REPLAY_CHUNK_BYTES, ZonemeterError } from "../core/index.ts";
import { detectFormat, isGzip, type TextFormat } from "./detect-format.ts";
import { Findings, quoteLine } from "./findings.ts";
import { KstatJsonReader } from "./kstat-json.ts";
import type { KstatSnapshot } from "./kstat-snapshot.ts";
import { KstatTextReader } from "./kstat-text.ts";
import { PrstatReader, type PrstatReport } from "./prstat-text.ts";
import { NO_TIMES_GIVEN, ownClockNs, RecordedClock, type GivenTimes, type RecordedItem } from "./recorded-times.ts";
import { SnapshotLinesReader, type SnapshotSet } from "./snapshot-lines.ts";
import type { Diagnostic } from "./source.ts";
import type { TextReader } from "./text-reader.ts";
import { ZonestatHumanReader } from "./zonestat-human.ts";
import type { ZonestatReport } from "./zonestat-report.ts";
import { RecordedZonestatReader } from "./zonestat-recorded.ts";

/** What a recording holds of one instant. `timeNs` counts, whatever time `of` has. */
export type RecordedSet =
  | { readonly tool: "kstat"; readonly timeNs: bigint; readonly of: KstatSnapshot }
  | { readonly tool: "zonestat"; readonly timeNs: bigint; readonly of: ZonestatReport }
  | { readonly tool: "prstat"; readonly timeNs: bigint; readonly of: PrstatReport }
  | { readonly tool: "snapshots"; readonly timeNs: bigint; readonly of: SnapshotSet };

type RecordingReader = TextReader<RecordedItem> | TextReader<SnapshotSet>;

const SMALLEST_CHUNK_BYTES = 4_096;

/** Modules of kstat that the product reads; all others of a recording are passed over. */
const MODULES: ReadonlySet<string> = new Set(["zones", "caps", "memory_cap", "unix", "vmm", "zfs", "cpu_info"]);

/** The command whose output has times, by format. */
const WITH_TIMES: Readonly<Record<TextFormat, string>> = {
  "kstat-p": "kstat -p -T u",
  "kstat-j": "kstat -j -T u",
  "zonestat-p": "zonestat -p",
  "zonestat-human": "zonestat -p",
  "prstat-Z": "prstat -d u",
  snapshots: "zonemeter sample",
};

/**
 * One recorded file, read from its beginning as `next` is called and never held as a whole: `kstat -p` or `-j`, `zonestat` in either form, `prstat -Z`,
 * or what `zonemeter sample` printed; or gzip of one of them. Text that has no times is dated by `times`. Rejects with `unavailable` where the file
 * cannot be read and with `invalid_input`, naming file and line, where it holds nothing that can be replayed, or no times and none are given. A gzip
 * file that is cut ends where it is cut, with a diagnostic.
 */
export class Recording {
  readonly path: string;
  readonly #batches: AsyncGenerator<RecordedSet[], void>;
  /** Read already, and how many of them have been given. */
  #batch: RecordedSet[] = [];
  #taken = 0;
  #stream: Readable | null = null;
  #file: ReadStream | null = null;
  readonly #times: GivenTimes;
  #format: TextFormat | null = null;
  #reader: RecordingReader | null = null;
  readonly #findings = new Findings();
  /** The first report where it has no time: the head of the file may be the rest of a longer one that was cut in two. */
  #undated: RecordedItem | null = null;
  /** Set once the text has turned out to have no times of its own. */
  #clock: RecordedClock | null = null;
  #given = 0;

  constructor(path: string, times: GivenTimes = NO_TIMES_GIVEN) {
    this.path = path;
    this.#times = times;
    this.#batches = this.#readBatches();
  }

  /** The next set in file order, or null at the end. */
  async next(): Promise<RecordedSet | null> {
    for (;;) {
      const set = this.take();
      if (set !== null) return set;
      const { value, done } = await this.#batches.next();
      if (done === true) return null;
      [this.#batch, this.#taken] = [value, 0];
    }
  }

  /** The next set where it has been read already, so that nothing has to be waited for. */
  take(): RecordedSet | null {
    return this.#batch[this.#taken++] ?? null;
  }

  /** Bytes of the file that have been read, before unpacking. */
  get bytesRead(): number {
    return this.#file?.bytesRead ?? 0;
  }

  takeDiagnostics(): Diagnostic[] {
    return [...(this.#reader?.takeDiagnostics() ?? []), ...this.#findings.take()];
  }

  async close(): Promise<void> {
    this.#stream?.destroy();
    await this.#batches.return();
  }

  async *#readBatches(): AsyncGenerator<RecordedSet[], void> {
    const head: Buffer[] = [];
    let headBytes = 0;
    try {
      ({ text: this.#stream, file: this.#file } = await openText(this.path));
      for await (const chunk of this.#stream as AsyncIterable<Buffer>) {
        if (this.#reader !== null) {
          yield [...this.#dated(this.#reader.push(chunk))];
          continue;
        }
        head.push(chunk);
        headBytes += chunk.length;
        const bytes = Buffer.concat(head);
        const format = detectFormat(bytes);
        if (format === null && headBytes < FORMAT_PROBE_BYTES) continue;
        this.#reader = this.#readerFor(format, bytes);
        head.length = 0;
        yield [...this.#dated(this.#reader.push(bytes))];
      }
    } catch (error) {
      if (error instanceof ZonemeterError) throw error;
      if (!isGzipError(error))
        throw new ZonemeterError("unavailable", `The recording ${this.path} cannot be read (${messageOf(error)}).`, { cause: error });
      if (this.#reader === null) throw invalid(this.path, 1, "it is not whole gzip data", error);
      this.#findings.add("truncated-gzip", `The gzip data end early (${messageOf(error)}); what came before is replayed.`);
    }
    this.#reader ??= this.#readerFor(null, Buffer.concat(head));
    yield [...this.#dated(this.#reader.end())];
    if (this.#undated !== null) yield [...this.#withGivenTime(this.#undated)];
    if (this.#given === 0) throw this.#nothingFound();
  }

  *#dated(items: readonly (RecordedItem | SnapshotSet)[]): Generator<RecordedSet, void> {
    for (const item of items) {
      if ("snapshots" in item) yield this.#set({ tool: "snapshots", timeNs: item.timeNs, of: item });
      else if (item.timeNs !== null) {
        if (this.#undated !== null) this.#leaveOut(this.#undated);
        this.#undated = null;
        yield this.#set(setOf(item, item.timeNs));
      } else if (this.#clock !== null) yield* this.#withGivenTime(item);
      else if (this.#given > 0 || isDamaged(item)) this.#leaveOut(item);
      else if (this.#undated === null) this.#undated = item;
      else {
        const first = this.#undated;
        this.#undated = null;
        yield* this.#withGivenTime(first, item);
        yield* this.#withGivenTime(item);
      }
    }
  }

  /** `next` is the report behind it, where there is one. */
  *#withGivenTime(item: RecordedItem, next: RecordedItem | null = null): Generator<RecordedSet, void> {
    if (this.#clock === null) {
      const { startNs, intervalNs } = this.#times;
      if (startNs === null) throw this.#noTimes(item.line);
      if (next !== null && intervalNs === null && ownClockNs(item) === null) throw this.#noInterval(item.line);
      this.#clock = new RecordedClock(startNs, intervalNs);
    }
    const timeNs = this.#clock.timeOf(item);
    if (timeNs === null)
      this.#findings.add("no-time", "A report was left out: its clock began again, and --recorded-interval is not given.", item.line);
    else yield this.#set(setOf(item, timeNs));
  }

  #set(set: RecordedSet): RecordedSet {
    this.#given += 1;
    return set;
  }

  #leaveOut({ line }: RecordedItem): void {
    this.#findings.add("no-time", "A report without a time was left out.", line);
  }

  #noTimes(line: number): ZonemeterError {
    const format = this.#format!;
    const interval = format === "prstat-Z" ? ", and --recorded-interval DURATION, the time from one to the next" : "";
    const why = `its ${format} reports carry no time that can be read: give --recorded-start TIME, the time of the first one${interval}, or record ${WITH_TIMES[format]}`;
    return invalid(this.path, line, why);
  }

  #noInterval(line: number): ZonemeterError {
    const format = this.#format!;
    const why = `nothing in its ${format} reports tells how long one is after the other: give --recorded-interval DURATION beside --recorded-start, or record ${WITH_TIMES[format]}`;
    return invalid(this.path, line, why);
  }

  #nothingFound(): ZonemeterError {
    const [first] = this.takeDiagnostics();
    return invalid(
      this.path,
      first?.line ?? 1,
      `nothing in it can be replayed${first === undefined ? "" : `: ${first.text.replace(/\.$/, "")}`}`,
    );
  }

  #readerFor(format: TextFormat | null, head: Buffer): RecordingReader {
    this.#format = format;
    switch (format) {
      case "kstat-p":
        return new KstatTextReader({ modules: MODULES });
      case "kstat-j":
        return new KstatJsonReader();
      case "zonestat-p":
        return new RecordedZonestatReader();
      case "zonestat-human":
        return new ZonestatHumanReader();
      case "prstat-Z":
        return new PrstatReader();
      case "snapshots":
        return new SnapshotLinesReader();
      case null: {
        const text = head.subarray(0, FORMAT_PROBE_BYTES).toString("latin1");
        if (text.trim() === "") throw invalid(this.path, 1, "it is empty");
        const lines = text.split("\n");
        const line = lines.findIndex((each) => each.trim() !== "");
        throw invalid(
          this.path,
          line + 1,
          `${quoteLine(lines[line]!)} is output neither of kstat, zonestat or prstat -Z nor of zonemeter sample`,
        );
      }
    }
  }
}

function setOf(item: RecordedItem, timeNs: bigint): RecordedSet {
  if ("kstats" in item) return { tool: "kstat", timeNs, of: item };
  return "psets" in item ? { tool: "zonestat", timeNs, of: item } : { tool: "prstat", timeNs, of: item };
}

/** Every whole report of zonestat -p has a time: one without it has lost its header and its footer. */
function isDamaged(item: RecordedItem): boolean {
  return "standing" in item && item.standing !== "certain";
}

async function openText(path: string): Promise<{ text: Readable; file: ReadStream }> {
  // Opening a pipe could wait for ever, and it could not be looked at first.
  const found = await stat(path);
  if (!found.isFile()) throw new ZonemeterError("unavailable", `The recording ${path} is not a regular file.`);
  const head = Buffer.alloc(2);
  const file = await open(path, "r");
  try {
    await file.read(head, 0, 2, 0);
    // Files may be many and small, and memory for a whole chunk costs more than reading them.
    const highWaterMark = Math.min(REPLAY_CHUNK_BYTES, Math.max(SMALLEST_CHUNK_BYTES, found.size));
    const bytes = createReadStream("", { fd: file, start: 0, highWaterMark });
    if (!isGzip(head)) return { text: bytes, file: bytes };
    const text = createGunzip({ chunkSize: REPLAY_CHUNK_BYTES });
    bytes.on("error", (error) => text.destroy(error));
    text.on("close", () => bytes.destroy());
    return { text: bytes.pipe(text), file: bytes };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function invalid(path: string, line: number, why: string, cause?: unknown): ZonemeterError {
  const position = { offset: 0, length: 0, line, column: 1 };
  return new ZonemeterError("invalid_input", `The recording ${path} cannot be replayed (line ${line}): ${why}.`, { position, cause });
}

function isGzipError(error: unknown): boolean {
  return typeof (error as { code?: unknown }).code === "string" && (error as { code: string }).code.startsWith("Z_");
}
