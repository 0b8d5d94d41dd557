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
import type { Diagnostic } from "./source.ts";
import type { TextReader } from "./text-reader.ts";
import type { ZonestatReport } from "./zonestat-report.ts";
import { ZonestatReader } from "./zonestat-text.ts";

/** What a recording holds of one instant. */
export type RecordedSet =
  | { readonly tool: "kstat"; readonly timeNs: bigint; readonly of: KstatSnapshot }
  | { readonly tool: "zonestat"; readonly timeNs: bigint; readonly of: ZonestatReport };

/** Modules of kstat that the product reads; all others of a recording are passed over. */
const MODULES: ReadonlySet<string> = new Set(["zones", "caps", "memory_cap", "unix", "zfs", "cpu_info"]);

/** Snapshots without a time at the head of a file that may be the rest of one that was cut in two. */
const UNDATED_AT_HEAD = 1;

/**
 * One recorded file, read from its beginning as `next` is called and never held as a whole: `kstat -p -T u`, `kstat -j` with time lines, or
 * `zonestat -p`; or gzip of one of them. Rejects with `unavailable` where the file cannot be read and with `invalid_input`, naming file and line, where
 * it holds nothing that can be replayed. A gzip file that is cut ends where it is cut, with a diagnostic.
 */
export class Recording {
  readonly path: string;
  readonly #sets: AsyncGenerator<RecordedSet, void>;
  #stream: Readable | null = null;
  #file: ReadStream | null = null;
  #reader: TextReader<KstatSnapshot> | TextReader<ZonestatReport> | null = null;
  readonly #findings = new Findings();
  #undated = 0;
  #given = 0;

  constructor(path: string) {
    this.path = path;
    this.#sets = this.#readSets();
  }

  /** The next set in file order, or null at the end. */
  async next(): Promise<RecordedSet | null> {
    const { value, done } = await this.#sets.next();
    return done === true ? null : value;
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
    await this.#sets.return();
  }

  async *#readSets(): AsyncGenerator<RecordedSet, void> {
    const head: Buffer[] = [];
    let headBytes = 0;
    try {
      ({ text: this.#stream, file: this.#file } = await openText(this.path));
      for await (const chunk of this.#stream as AsyncIterable<Buffer>) {
        if (this.#reader !== null) {
          yield* this.#dated(this.#reader.push(chunk));
          continue;
        }
        head.push(chunk);
        headBytes += chunk.length;
        const bytes = Buffer.concat(head);
        const format = detectFormat(bytes);
        if (format === null && headBytes < FORMAT_PROBE_BYTES) continue;
        this.#reader = readerFor(format, this.path, bytes);
        head.length = 0;
        yield* this.#dated(this.#reader.push(bytes));
      }
    } catch (error) {
      if (error instanceof ZonemeterError) throw error;
      if (!isGzipError(error))
        throw new ZonemeterError("unavailable", `The recording ${this.path} cannot be read (${messageOf(error)}).`, { cause: error });
      if (this.#reader === null) throw invalid(this.path, 1, "it is not whole gzip data", error);
      this.#findings.add("truncated-gzip", `The gzip data end early (${messageOf(error)}); what came before is replayed.`);
    }
    this.#reader ??= readerFor(null, this.path, Buffer.concat(head));
    yield* this.#dated(this.#reader.end());
    if (this.#given === 0) throw this.#nothingFound();
  }

  *#dated(items: readonly (KstatSnapshot | ZonestatReport)[]): Generator<RecordedSet, void> {
    for (const item of items) {
      if (item.timeNs === null) {
        this.#undated += 1;
        if (this.#given === 0 && this.#undated > UNDATED_AT_HEAD && "kstats" in item) throw this.#noTimes(item.line);
        this.#findings.add("no-time", "A snapshot without a time was left out.", item.line);
        continue;
      }
      this.#given += 1;
      const { timeNs } = item;
      yield "kstats" in item ? { tool: "kstat", timeNs, of: item } : { tool: "zonestat", timeNs, of: item };
    }
  }

  #noTimes(line: number): ZonemeterError {
    return invalid(this.path, line, "its kstat snapshots have no time lines; record them with kstat -p -T u");
  }

  #nothingFound(): ZonemeterError {
    if (this.#undated > 0) return this.#noTimes(1);
    const [first] = this.takeDiagnostics();
    return invalid(this.path, first?.line ?? 1, `nothing in it can be replayed${first === undefined ? "" : `: ${first.text}`}`);
  }
}

async function openText(path: string): Promise<{ text: Readable; file: ReadStream }> {
  // Opening a pipe could wait for ever, and it could not be looked at first.
  if (!(await stat(path)).isFile()) throw new ZonemeterError("unavailable", `The recording ${path} is not a regular file.`);
  const head = Buffer.alloc(2);
  const file = await open(path, "r");
  try {
    await file.read(head, 0, 2, 0);
    const bytes = createReadStream("", { fd: file, start: 0, highWaterMark: REPLAY_CHUNK_BYTES });
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

function readerFor(format: TextFormat | null, path: string, head: Buffer): TextReader<KstatSnapshot> | TextReader<ZonestatReport> {
  switch (format) {
    case "kstat-p":
      return new KstatTextReader({ modules: MODULES });
    case "kstat-j":
      return new KstatJsonReader();
    case "zonestat-p":
      return new ZonestatReader();
    case null: {
      const text = head.subarray(0, FORMAT_PROBE_BYTES).toString("latin1");
      if (text.trim() === "") throw invalid(path, 1, "it is empty");
      const lines = text.split("\n");
      const line = lines.findIndex((each) => each.trim() !== "");
      throw invalid(path, line + 1, `${quoteLine(lines[line]!)} is neither kstat -p nor zonestat -p output`);
    }
    default:
      throw invalid(path, 1, `${format} output cannot be replayed; record kstat -p -T u or zonestat -p`);
  }
}

function invalid(path: string, line: number, why: string, cause?: unknown): ZonemeterError {
  const position = { offset: 0, length: 0, line, column: 1 };
  return new ZonemeterError("invalid_input", `The recording ${path} cannot be replayed (line ${line}): ${why}.`, { position, cause });
}

function isGzipError(error: unknown): boolean {
  return typeof (error as { code?: unknown }).code === "string" && (error as { code: string }).code.startsWith("Z_");
}
