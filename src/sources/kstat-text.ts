import { Findings, quoteLine } from "./findings.ts";
import { kstatTimeNs, KstatSnapshots, type KstatSnapshot, type OpenKstat } from "./kstat-snapshot.ts";
import { LineSplitter, ownText, type LineSink } from "./line-splitter.ts";
import { NamePool } from "./name-pool.ts";
import type { Diagnostic } from "./source.ts";
import type { TextReader } from "./text-reader.ts";
import { toolTime } from "./tool-time.ts";

const TOOL_ERROR = /^(kstat|Usage): /i;
const KEY_WITH_COLONS = /^([^:]+):(-?\d{1,10}):([^:]*):([^:]+):(.*)$/;
const INSTANCE = /^(0|-?[1-9]\d{0,9})$/;
const TAB = 9;
const NON_ASCII = /[\x80-\xff]/;

export interface KstatTextOptions {
  /** Modules to keep, in lower case; all where it is left out. What else a recording holds is then passed over without cost in memory. */
  readonly modules?: ReadonlySet<string>;
}

/**
 * Reads `kstat -p`, with time lines (`-T u`, `-T d`), intervals and `-C`. A line is `module:instance:name:statistic<TAB>value`; nothing in it is
 * escaped, so module ends at the first colon, instance at the second, the statistic begins after the last colon before the first tab,
 * and all after that tab is the value.
 */
export class KstatTextReader implements TextReader<KstatSnapshot>, LineSink {
  readonly #findings = new Findings();
  readonly #snapshots = new KstatSnapshots(this.#findings);
  readonly #splitter = new LineSplitter(this);
  readonly #names = new NamePool();
  readonly #modules: ReadonlySet<string> | null;
  #kstat: OpenKstat | null = null;
  /** `module:instance:name:` of the lines that belong to #kstat; also while they are passed over. */
  #prefix = "";
  #sawAnything = false;

  constructor(options: KstatTextOptions = {}) {
    this.#modules = options.modules ?? null;
  }

  push(chunk: Uint8Array): KstatSnapshot[] {
    this.#splitter.push(chunk);
    return this.#snapshots.take();
  }

  end(): KstatSnapshot[] {
    this.#splitter.end();
    this.#closeKstat();
    this.#snapshots.finish();
    if (!this.#sawAnything) this.#findings.add("no-data", "There is no kstat output; that does not mean that nothing is used.");
    return this.#snapshots.take();
  }

  takeDiagnostics(): Diagnostic[] {
    return this.#findings.take();
  }

  line(text: string, start: number, end: number, line: number): void {
    // Most lines are of the same kstat as the one before.
    const inside = this.#prefix !== "" && text.startsWith(this.#prefix, start) ? start + this.#prefix.length : start;
    let tab = inside;
    while (tab < end && text.charCodeAt(tab) !== TAB) tab++;
    if (tab >= end) return this.#lineWithoutTab(text.slice(start, end), line);
    this.#sawAnything = true;
    const statistic = text.lastIndexOf(":", tab - 1) + 1;
    if (statistic === inside && inside > start && tab > statistic) {
      if (this.#kstat !== null) this.#statistic(this.#kstat, text.slice(statistic, tab), text.slice(tab + 1, end), line);
      return;
    }
    const instanceAt = text.indexOf(":", start) + 1;
    const nameAt = text.indexOf(":", instanceAt) + 1;
    const instance = text.slice(instanceAt, nameAt - 1);
    if (statistic <= start || instanceAt === start + 1 || nameAt >= statistic || statistic === tab || !INSTANCE.test(instance)) {
      return this.#damaged(text, start, end, line);
    }
    this.#begin(text.slice(start, statistic), text.slice(start, instanceAt - 1), instance, text.slice(nameAt, statistic - 1), line);
    if (this.#kstat !== null) this.#statistic(this.#kstat, text.slice(statistic, tab), text.slice(tab + 1, end), line);
  }

  cutLine(text: string, line: number): void {
    this.#sawAnything = true;
    this.#findings.add("truncated-line", `The last line ${quoteLine(text)} has no end and was dropped.`, line);
  }

  longLine(line: number): void {
    this.#sawAnything = true;
    this.#findings.add("overlong-line", "A line too long for any statistic was dropped.", line);
  }

  /** Empty lines part snapshots, time lines date them; with `-C` there is a colon for the tab. */
  #lineWithoutTab(content: string, line: number): void {
    if (content.trim() === "") {
      this.#closeKstat();
      this.#snapshots.finish();
      return;
    }
    this.#sawAnything = true;
    const time = toolTime(content.trim());
    if (time !== null) {
      this.#closeKstat();
      this.#snapshots.startAt(time.timeNs);
      if (time.timeNs === null) this.#findings.add("time-zone", `The time ${quoteLine(content)} is not in UTC and was not read.`, line);
      return;
    }
    const match = KEY_WITH_COLONS.exec(content);
    if (match !== null) {
      const [, module, instance, name, statistic, value] = match as unknown as [string, string, string, string, string, string];
      if (!INSTANCE.test(instance)) return this.#damaged(content, 0, content.length, line);
      const prefix = `${module}:${instance}:${name}:`;
      if (prefix !== this.#prefix) this.#begin(prefix, module, instance, name, line);
      if (this.#kstat !== null) this.#statistic(this.#kstat, statistic, value, line);
    } else if (TOOL_ERROR.test(content)) {
      this.#findings.add("tool-error", `The tool reported ${quoteLine(content)}.`, line);
    } else {
      this.#damaged(content, 0, content.length, line);
    }
  }

  #begin(prefix: string, module: string, instance: string, name: string, line: number): void {
    this.#closeKstat();
    this.#prefix = ownText(prefix);
    if (this.#modules !== null && !this.#modules.has(module.toLowerCase())) return;
    this.#kstat = {
      module: ownText(module),
      instance: Number(instance),
      name: ownText(name),
      line,
      class: null,
      crtimeNs: null,
      snaptimeNs: null,
      zonename: null,
      stats: new Map(),
    };
  }

  #closeKstat(): void {
    if (this.#kstat !== null) this.#snapshots.add(this.#kstat);
    this.#kstat = null;
    this.#prefix = "";
  }

  #statistic(open: OpenKstat, statistic: string, value: string, line: number): void {
    const kstat = this.#repeats(open, statistic) ? this.#again(open, line) : open;
    switch (statistic) {
      case "class":
        kstat.class = this.#names.get(value).name;
        return;
      case "crtime":
        kstat.crtimeNs = this.#time(kstat, statistic, value, line);
        return;
      case "snaptime":
        kstat.snaptimeNs = this.#time(kstat, statistic, value, line);
        return;
      case "zonename": {
        const zone = this.#names.get(value);
        if (zone.isZone) kstat.zonename = zone.name;
        else this.#findings.add("malformed-row", `The zonename ${quoteLine(value)} is no zone's name and was dropped.`, line);
        return;
      }
      default:
        kstat.stats.set(statistic, NON_ASCII.test(value) ? ownText(value) : value);
    }
  }

  /** A statistic that comes again right away begins the next print of the same kstat. */
  #repeats(kstat: OpenKstat, statistic: string): boolean {
    if (kstat.stats.has(statistic)) return true;
    return (
      (statistic === "class" && kstat.class !== null) ||
      (statistic === "crtime" && kstat.crtimeNs !== null) ||
      (statistic === "snaptime" && kstat.snaptimeNs !== null) ||
      (statistic === "zonename" && kstat.zonename !== null)
    );
  }

  #again(kstat: OpenKstat, line: number): OpenKstat {
    const prefix = this.#prefix;
    this.#closeKstat();
    this.#prefix = prefix;
    const { module, instance, name } = kstat;
    this.#kstat = { module, instance, name, line, class: null, crtimeNs: null, snaptimeNs: null, zonename: null, stats: new Map() };
    return this.#kstat;
  }

  #time(kstat: OpenKstat, statistic: string, value: string, line: number): bigint | null {
    const time = kstatTimeNs(value);
    if (time === null) {
      const where = `${kstat.module}:${kstat.instance}:${kstat.name}:${statistic}`;
      this.#findings.add("malformed-row", `The ${where} ${quoteLine(value)} is no time and was dropped.`, line);
      return null;
    }
    if (time.comma)
      this.#findings.addOnce("comma", "locale-decimal-comma", "Times have a decimal comma: run the tool with LC_ALL=C.", line);
    return time.ns;
  }

  #damaged(text: string, start: number, end: number, line: number): void {
    this.#findings.add("malformed-row", `The line ${quoteLine(text, start, end)} is no statistic and was dropped.`, line);
  }
}
