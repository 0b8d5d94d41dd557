import type { ImportProgress } from "../importer/index.ts";
import type { FoundFile } from "../sources/index.ts";

/** How often a terminal's line is written anew, and how often a line is added where stderr is none. */
const TERMINAL_MS = 200;
const OTHER_MS = 5_000;

/** The progress of an import on stderr, with its rate and the time left. */
export class ImportProgressLine {
  readonly #stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly #files: number;
  readonly #bytes: number;
  readonly #startedMs = performance.now();
  #nextMs: number;
  #shown = false;

  constructor(stderr: NodeJS.WritableStream, files: readonly FoundFile[]) {
    this.#stderr = stderr;
    this.#files = files.length;
    this.#bytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#nextMs = this.#startedMs + this.#everyMs();
  }

  show(progress: ImportProgress): void {
    const nowMs = performance.now();
    if (nowMs < this.#nextMs) return;
    this.#nextMs = nowMs + this.#everyMs();
    const text = progressText(progress, this.#files, this.#bytes, (nowMs - this.#startedMs) / 1_000);
    this.#stderr.write(this.#stderr.isTTY === true ? `\r\u001b[K${text}` : `zonemeter: ${text}\n`);
    this.#shown = true;
  }

  /** Leaves nothing of it on a terminal. */
  end(): void {
    if (this.#shown && this.#stderr.isTTY === true) this.#stderr.write("\r\u001b[K");
  }

  #everyMs(): number {
    return this.#stderr.isTTY === true ? TERMINAL_MS : OTHER_MS;
  }
}

/** `imported 2 of 4 files, 48 %, 412,000 rows, 210,000 rows/s, 3 s left` */
export function progressText({ filesDone, bytesDone, rows }: ImportProgress, files: number, bytes: number, seconds: number): string {
  const share = bytes === 0 ? 0 : Math.min(1, bytesDone / bytes);
  const left = share > 0 ? `${Math.ceil((seconds * (1 - share)) / share)} s left` : "time left not known yet";
  const count = (value: number): string => Math.round(value).toLocaleString("en-US");
  return `read ${filesDone} of ${files} files, ${Math.floor(share * 100)} %, ${count(rows)} rows, ${count(rows / Math.max(seconds, 0.001))} rows/s, ${left}`;
}
