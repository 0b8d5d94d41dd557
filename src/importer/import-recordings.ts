import { IMPORT_MESSAGES, ZonemeterError, type Catalogue } from "../core/index.ts";
import {
  RecordedFiles,
  Tally,
  type FoundFile,
  type GivenTimes,
  type RecordedFile,
  type RecordedInstant,
  type SledIdentity,
} from "../sources/index.ts";
import type { RowRefusal, RowsReport, Store } from "../store/index.ts";
import { RowBlocks } from "./row-blocks.ts";
import type { RowCollector } from "./row-collector.ts";

const REFUSALS: Readonly<Record<RowRefusal, string>> = {
  future: "the time is yet to come",
  unstorable: "the store cannot keep it",
};

export interface ImportOptions {
  readonly files: readonly FoundFile[];
  /** What is known of the sleds of all files; what it leaves out comes from each file's name, as in a replay. */
  readonly sled: Partial<SledIdentity>;
  /** Times for those files that have none. */
  readonly times?: GivenTimes;
  readonly catalogue: Catalogue;
  readonly store: Pick<Store, "insertRows">;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** Told after every instant read: it must be cheap. */
  readonly onProgress: (progress: ImportProgress) => void;
}

export interface ImportProgress {
  readonly filesDone: number;
  readonly bytesDone: number;
  readonly rows: number;
}

/** `rows.stored + rows.known + withheld rows` is the number of rows read: a row is one zone, or one sled, at one instant. */
export interface ImportReport {
  /** Files with at least one row in them. */
  readonly filesRead: number;
  readonly bytesRead: number;
  /** Files in which there is nothing to import, and files that could not be read, a sentence each. */
  readonly passedOver: Notes;
  readonly unreadable: Notes;
  /** Serial numbers of the sleds that rows are of. */
  readonly sledSerials: readonly string[];
  readonly rowsStored: number;
  readonly rowsKnown: number;
  readonly rowsWithheld: Tally;
  /** Values in the rows stored, and values that were left out of rows, by reason. */
  readonly valuesStored: number;
  readonly valuesWithheld: Tally;
  /** Lines that could not be read, by what is wrong with them. */
  readonly findings: Tally;
  readonly examples: Notes;
  /** First and last time of the rows stored or known. */
  readonly firstNs: bigint | null;
  readonly lastNs: bigint | null;
}

/** Sentences, of which only the first IMPORT_MESSAGES are kept. */
export interface Notes {
  count: number;
  readonly texts: string[];
}

/** Reads the files one after another and stores what the store does not have. Rejects with the signal's reason when that fires; what was stored stays. */
export async function importRecordings(options: ImportOptions): Promise<ImportReport> {
  const run = new ImportRun(options);
  for (const file of options.files) await run.take(file);
  return run.end();
}

class ImportRun {
  readonly #options: ImportOptions;
  readonly #recordings: RecordedFiles;
  readonly #blocks: RowBlocks;
  readonly #rowsWithheld = new Tally();
  readonly #valuesWithheld = new Tally();
  readonly #findings = new Tally();
  readonly #examples: Notes = { count: 0, texts: [] };
  readonly #passedOver: Notes = { count: 0, texts: [] };
  readonly #unreadable: Notes = { count: 0, texts: [] };
  /** The block that is being stored while the next one is filled. */
  #storing: Promise<void> = Promise.resolve();
  #filesRead = 0;
  #filesDone = 0;
  #bytesDone = 0;
  #rowsOfWithheld = 0;
  #rowsStored = 0;
  #rowsKnown = 0;
  #valuesStored = 0;
  #firstNs: bigint | null = null;
  #lastNs: bigint | null = null;

  constructor(options: ImportOptions) {
    const { catalogue, sled, times } = options;
    this.#options = options;
    this.#recordings = new RecordedFiles(sled, times);
    this.#blocks = new RowBlocks(catalogue, { rows: this.#rowsWithheld, values: this.#valuesWithheld });
  }

  async take({ path, bytes }: FoundFile): Promise<void> {
    const before = this.#rowsRead();
    const file = this.#recordings.open(path);
    try {
      await this.#read(file);
    } finally {
      await file.close();
    }
    if (this.#rowsRead() > before) this.#filesRead += 1;
    this.#filesDone += 1;
    this.#bytesDone += bytes;
    this.#tell(0);
  }

  async end(): Promise<ImportReport> {
    await this.#store(this.#blocks.zones);
    await this.#store(this.#blocks.sleds);
    await this.#storing;
    return {
      filesRead: this.#filesRead,
      bytesRead: this.#bytesDone,
      passedOver: this.#passedOver,
      unreadable: this.#unreadable,
      sledSerials: [...this.#blocks.serials],
      rowsStored: this.#rowsStored,
      rowsKnown: this.#rowsKnown,
      rowsWithheld: this.#rowsWithheld,
      valuesStored: this.#valuesStored,
      valuesWithheld: this.#valuesWithheld,
      findings: this.#findings,
      examples: this.#examples,
      firstNs: this.#firstNs,
      lastNs: this.#lastNs,
    };
  }

  async #read(file: RecordedFile): Promise<void> {
    for (;;) {
      this.#options.signal.throwIfAborted();
      const instant = file.take() ?? (await this.#next(file));
      for (const { code, text, line, count } of file.takeDiagnostics()) {
        this.#findings.add(code, count);
        note(this.#examples, `${file.path}: ${line === null ? "" : `line ${line}: `}${text}`);
      }
      if (instant === null) return;
      const { withheld } = instant;
      if (withheld !== null) {
        this.#rowsWithheld.add(withheld.reason, withheld.rows);
        this.#rowsOfWithheld += withheld.rows;
      } else {
        for (const collector of this.#blocks.withoutRoomFor(instant)) await this.#store(collector);
        instant.give(this.#blocks);
      }
      this.#tell(file.bytesRead);
    }
  }

  /** Null also where the file is of no use: other files may be. */
  async #next(file: RecordedFile): Promise<RecordedInstant | null> {
    try {
      return await file.next();
    } catch (error) {
      if (!(error instanceof ZonemeterError) || (error.code !== "invalid_input" && error.code !== "unavailable")) throw error;
      note(error.code === "invalid_input" ? this.#passedOver : this.#unreadable, error.message);
      return null;
    }
  }

  /** Hands the rows over and goes on reading; waits only where the block before is not stored yet. */
  async #store(collector: RowCollector): Promise<void> {
    if (collector.count === 0) return;
    await this.#storing;
    const { store, dryRun, signal } = this.#options;
    this.#storing = store.insertRows(collector.block(), { dryRun, signal }).then((report) => this.#count(report));
    // Whoever waits next is told; until then nobody does.
    this.#storing.catch(() => undefined);
    collector.clear();
  }

  #count({ stored, known, refused, values, firstNs, lastNs }: RowsReport): void {
    this.#rowsStored += stored;
    this.#rowsKnown += known;
    this.#valuesStored += values;
    if (firstNs !== null && (this.#firstNs === null || firstNs < this.#firstNs)) this.#firstNs = firstNs;
    if (lastNs !== null && (this.#lastNs === null || lastNs > this.#lastNs)) this.#lastNs = lastNs;
    for (const [reason, rows] of refused) this.#rowsWithheld.add(REFUSALS[reason], rows);
  }

  #rowsRead(): number {
    return this.#rowsOfWithheld + this.#blocks.rows;
  }

  #tell(bytesOfFile: number): void {
    this.#options.onProgress({ filesDone: this.#filesDone, bytesDone: this.#bytesDone + bytesOfFile, rows: this.#rowsRead() });
  }
}

function note(notes: Notes, text: string): void {
  notes.count += 1;
  if (notes.texts.length < IMPORT_MESSAGES) notes.texts.push(text);
}
