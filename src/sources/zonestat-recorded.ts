import { PlainScanner } from "./plain-scanner.ts";
import type { Diagnostic } from "./source.ts";
import type { TextReader } from "./text-reader.ts";
import type { ZonestatReport } from "./zonestat-report.ts";
import { ZonestatReader } from "./zonestat-text.ts";

const NEXT_HEADER = "\ninterval:header:";

/** Reads recorded `zonestat -p` as `ZonestatReader` does, plain reports by a faster way. */
export class RecordedZonestatReader implements TextReader<ZonestatReport> {
  readonly #reader = new ZonestatReader();
  readonly #scanner = new PlainScanner(this.#reader.names);

  push(chunk: Uint8Array): ZonestatReport[] {
    const reader = this.#reader;
    const reports: ZonestatReport[] = [];
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#scanner.begin(bytes);
    for (let at = 0; at < bytes.length;) {
      const found = reader.isBetweenReports ? this.#scanner.scan(at, reader.lines + 1) : null;
      if (found !== null) {
        reports.push(found.report);
        reader.passOver(found.lines);
        at = found.end;
        continue;
      }
      const next = bytes.indexOf(NEXT_HEADER, at);
      const end = next === -1 ? bytes.length : next + 1;
      for (const report of reader.push(bytes.subarray(at, end))) reports.push(report);
      at = end;
    }
    return reports;
  }

  end(): ZonestatReport[] {
    return this.#reader.end();
  }

  takeDiagnostics(): Diagnostic[] {
    return this.#reader.takeDiagnostics();
  }
}
