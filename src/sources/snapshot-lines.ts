import { TEXT_REPORT_MAX_ROWS } from "../core/index.ts";
import { Findings, quoteLine } from "./findings.ts";
import { LineSplitter, ownText, type LineSink } from "./line-splitter.ts";
import { readSnapshotLine, type PrintedSnapshot } from "./snapshot-line.ts";
import type { Diagnostic, SourceName } from "./source.ts";
import type { TextReader } from "./text-reader.ts";

/** Snapshots that one source took at one instant. */
export interface SnapshotSet {
  readonly timeNs: bigint;
  /** Line of the first. */
  readonly line: number;
  readonly source: SourceName;
  readonly sledSerial: string | null;
  readonly snapshots: readonly PrintedSnapshot[];
}

interface OpenSet extends SnapshotSet {
  readonly snapshots: PrintedSnapshot[];
}

/**
 * Reads what `zonemeter sample` printed: a snapshot a line. Lines that follow each other and are of one source, sled and instant are one set, as kstat
 * gives its zones; control groups are read one after another, so each is a set of its own. A line that is none is dropped alone.
 */
export class SnapshotLinesReader implements TextReader<SnapshotSet>, LineSink {
  readonly #findings = new Findings();
  readonly #splitter = new LineSplitter(this);
  #open: OpenSet | null = null;
  #done: SnapshotSet[] = [];

  push(chunk: Uint8Array): SnapshotSet[] {
    this.#splitter.push(chunk);
    return this.#takeDone();
  }

  end(): SnapshotSet[] {
    this.#splitter.end();
    if (this.#open !== null) this.#done.push(this.#open);
    this.#open = null;
    return this.#takeDone();
  }

  takeDiagnostics(): Diagnostic[] {
    return this.#findings.take();
  }

  line(text: string, start: number, end: number, line: number): void {
    const content = text.slice(start, end);
    if (content.trim() === "") return;
    const snapshot = readSnapshotLine(ownText(content));
    if (typeof snapshot === "string") {
      this.#findings.add("malformed-line", `The line ${quoteLine(content)} is no snapshot: ${snapshot}.`, line);
      return;
    }
    const { source, sledSerial, timestampNs: timeNs } = snapshot;
    const open = this.#open;
    if (open !== null && open.source === source && open.timeNs === timeNs && open.sledSerial === sledSerial) {
      if (open.snapshots.length < TEXT_REPORT_MAX_ROWS) {
        open.snapshots.push(snapshot);
        return;
      }
    }
    if (open !== null) this.#done.push(open);
    this.#open = { timeNs, line, source, sledSerial, snapshots: [snapshot] };
  }

  cutLine(text: string, line: number): void {
    this.#findings.add("truncated-line", `The last line ${quoteLine(text)} has no end and was dropped.`, line);
  }

  longLine(line: number): void {
    this.#findings.add("overlong-line", "A line too long for any snapshot was dropped.", line);
  }

  #takeDone(): SnapshotSet[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }
}
