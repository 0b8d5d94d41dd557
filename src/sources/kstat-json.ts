import { KSTAT_OBJECT_MAX_BYTES } from "../core/index.ts";
import { Findings, quoteLine } from "./findings.ts";
import { readKstatObject, type JsonValue } from "./kstat-object.ts";
import { kstatTimeNs, KstatSnapshots, type KstatSnapshot, type OpenKstat } from "./kstat-snapshot.ts";
import { ownText } from "./line-splitter.ts";
import { NamePool } from "./name-pool.ts";
import type { Diagnostic } from "./source.ts";
import type { TextReader } from "./text-reader.ts";
import { toolTime } from "./tool-time.ts";
import { isZoneName } from "./zone-name.ts";

const INSTANCE = /^(0|-?[1-9]\d{0,9})$/;

const LEADING_SEPARATOR = "A document begins with a comma, as kstat prints it after the first interval.";

/** Characters that matter while an object is gathered. */
const MARKS = /["\\{}\n]/g;

/**
 * Reads `kstat -j`: one array of objects for each snapshot. An object is gathered whole and then read, so that damage costs that object alone.
 * With an interval every document after the first begins `[, {`, which is read; the object's own `snaptime` is of an earlier read and
 * is not used.
 */
export class KstatJsonReader implements TextReader<KstatSnapshot> {
  readonly #findings = new Findings();
  readonly #snapshots = new KstatSnapshots(this.#findings);
  readonly #names = new NamePool();
  #line = 1;
  #state: "between" | "document" | "object" = "between";
  /** Characters between documents and objects: a time line, or damage. */
  #loose = "";
  #objects = 0;
  #object = "";
  #objectLine = 0;
  #depth = 0;
  #inString = false;
  /** The character after a backslash, where the two came in different chunks. */
  #escaped = false;
  #sawAnything = false;

  push(chunk: Uint8Array): KstatSnapshot[] {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
    let at = 0;
    while (at < text.length) at = this.#state === "object" ? this.#inObject(text, at) : this.#outside(text, at);
    return this.#snapshots.take();
  }

  end(): KstatSnapshot[] {
    this.#looseEnds();
    if (this.#state !== "between")
      this.#findings.add("truncated-document", "The text ends inside a document; what was whole of it is kept.", this.#line);
    this.#snapshots.finish();
    if (!this.#sawAnything) this.#findings.add("no-data", "There is no kstat output; that does not mean that nothing is used.");
    return this.#snapshots.take();
  }

  takeDiagnostics(): Diagnostic[] {
    return this.#findings.take();
  }

  #outside(text: string, at: number): number {
    const character = text[at]!;
    switch (character) {
      case "\n":
        this.#line += 1;
        this.#looseEnds();
        break;
      case " ":
      case "\t":
      case "\r":
        if (this.#loose !== "") this.#loose += character;
        break;
      case "[":
        this.#looseEnds();
        if (this.#state === "document") this.#damage("a document that has no end");
        this.#snapshots.finish();
        this.#state = "document";
        this.#objects = 0;
        this.#sawAnything = true;
        break;
      case "]":
        this.#looseEnds();
        if (this.#state !== "document") this.#damage("a document that has no beginning");
        if (this.#state === "document" && this.#objects === 0)
          this.#findings.add("no-data", "A document is empty: nothing matched.", this.#line);
        this.#snapshots.finish();
        this.#state = "between";
        break;
      case ",":
        if (this.#state !== "document" || this.#loose !== "") this.#loose += character;
        else if (this.#objects === 0) this.#findings.add("leading-separator", LEADING_SEPARATOR, this.#line);
        break;
      case "{":
        this.#looseEnds();
        this.#sawAnything = true;
        this.#beginObject();
        break;
      default:
        this.#sawAnything = true;
        if (this.#loose.length < 100) this.#loose += character;
    }
    return at + 1;
  }

  #beginObject(): void {
    this.#state = "object";
    this.#object = "{";
    this.#objectLine = this.#line;
    this.#depth = 1;
    this.#inString = false;
    this.#escaped = false;
  }

  /** Gathers up to the brace that ends the object. */
  #inObject(text: string, from: number): number {
    let start = from;
    if (this.#escaped) {
      this.#escaped = false;
      if (text.charCodeAt(from) !== 10) {
        this.#object += text[from]!;
        start = from + 1;
      }
    }
    MARKS.lastIndex = start;
    for (;;) {
      const mark = MARKS.exec(text);
      if (mark === null) {
        this.#gather(text, start, text.length);
        return text.length;
      }
      const at = mark.index;
      switch (mark[0]) {
        case '"':
          this.#inString = !this.#inString;
          break;
        case "\\":
          if (at + 1 === text.length) this.#escaped = true;
          else if (text.charCodeAt(at + 1) !== 10) MARKS.lastIndex = at + 2;
          break;
        case "\n":
          this.#line += 1;
          // No string holds one: if a quote was lost, the next line is read as if it were whole again.
          this.#inString = false;
          break;
        case "{":
          if (!this.#inString) this.#depth += 1;
          break;
        case "}": {
          if (this.#inString) break;
          this.#depth -= 1;
          // The tool writes the brace that ends an object, and no other, at the beginning of a line.
          const lineStart = at === start ? this.#object.endsWith("\n") : text.charCodeAt(at - 1) === 10;
          const next = text.slice(at + 1, at + 4);
          if (this.#depth > 0 && !(lineStart && (next.startsWith("]") || next === ", {"))) break;
          this.#gather(text, start, at + 1);
          this.#endObject();
          return at + 1;
        }
      }
    }
  }

  #gather(text: string, start: number, end: number): void {
    if (this.#object.length <= KSTAT_OBJECT_MAX_BYTES) this.#object += text.slice(start, end);
    else if (end > start) this.#object = `${this.#object.slice(0, KSTAT_OBJECT_MAX_BYTES + 1)}${text[end - 1] === "\n" ? "\n" : ""}`;
  }

  #endObject(): void {
    this.#state = "document";
    this.#objects += 1;
    const printed = this.#object;
    this.#object = "";
    if (printed.length > KSTAT_OBJECT_MAX_BYTES) {
      this.#findings.add("overlong-object", "An object too large for any kstat was dropped.", this.#objectLine);
      return;
    }
    const object = readKstatObject(/[\x80-\xff]/.test(printed) ? ownText(printed) : printed);
    if (object?.repaired === true)
      this.#findings.add("illegal-escape", "A string has an escape that JSON does not know; it was repaired.", this.#objectLine);
    const kstat = object === null ? null : this.#kstatOf(object.fields);
    if (kstat === null)
      this.#findings.add("malformed-object", `The object ${quoteLine(printed)} is damaged and was dropped.`, this.#objectLine);
    else this.#snapshots.add(kstat);
  }

  #kstatOf(fields: ReadonlyMap<string, JsonValue>): OpenKstat | null {
    const [module, instance, name, data] = ["module", "instance", "name", "data"].map((key) => fields.get(key));
    if (typeof module !== "string" || typeof name !== "string" || typeof instance !== "string" || !INSTANCE.test(instance)) return null;
    if (!(data instanceof Map)) return null;
    const kstatClass = fields.get("class");
    const kstat: OpenKstat = {
      module,
      instance: Number(instance),
      name,
      line: this.#objectLine,
      class: typeof kstatClass === "string" ? kstatClass : null,
      crtimeNs: null,
      snaptimeNs: null,
      zonename: null,
      stats: new Map(),
    };
    for (const [statistic, value] of data as ReadonlyMap<string, JsonValue>) {
      if (typeof value !== "string") continue;
      if (statistic === "crtime") kstat.crtimeNs = this.#time(statistic, value);
      else if (statistic === "snaptime") kstat.snaptimeNs = this.#time(statistic, value);
      else if (statistic !== "zonename") kstat.stats.set(statistic, value);
      else if (isZoneName(value)) kstat.zonename = this.#names.get(value).name;
      else this.#findings.add("malformed-row", `The zonename ${quoteLine(value)} is no zone's name and was dropped.`, this.#objectLine);
    }
    return kstat;
  }

  #time(statistic: string, value: string): bigint | null {
    const time = kstatTimeNs(value);
    if (time === null)
      this.#findings.add("malformed-row", `The ${statistic} ${quoteLine(value)} is no time and was dropped.`, this.#objectLine);
    return time?.ns ?? null;
  }

  /** What stood alone on a line: a time line of `-T`, or damage. */
  #looseEnds(): void {
    const loose = this.#loose.trim();
    this.#loose = "";
    if (loose === "") return;
    const time = this.#state === "between" ? toolTime(loose) : null;
    if (time !== null) this.#snapshots.startAt(time.timeNs);
    else if (loose.startsWith("kstat: ")) this.#findings.add("tool-error", `The tool reported ${quoteLine(loose)}.`, this.#line);
    else this.#damage(quoteLine(loose));
  }

  #damage(what: string): void {
    this.#findings.add("malformed-document", `There is ${what} between the objects of kstat -j; it was passed over.`, this.#line);
  }
}
