import { Catalogue, type TimeseriesSchema, type Visibility } from "../core/index.ts";

/** A catalogue that is always what its source says now: timeseries come to be while samples are stored. */
export class LiveCatalogue extends Catalogue {
  readonly #source: () => Iterable<TimeseriesSchema>;
  readonly #visibility: Visibility | null;
  #made: { readonly version: number; readonly catalogue: Catalogue } | null = null;
  readonly #version: () => number;

  /** `version` changes when the source does. */
  constructor(source: () => Iterable<TimeseriesSchema>, version: () => number, visibility: Visibility | null = null) {
    super([]);
    this.#source = source;
    this.#version = version;
    this.#visibility = visibility;
  }

  override get(timeseriesName: string): TimeseriesSchema | undefined {
    return this.#now().get(timeseriesName);
  }

  override names(): string[] {
    return this.#now().names();
  }

  override get size(): number {
    return this.#now().size;
  }

  override [Symbol.iterator](): IterableIterator<TimeseriesSchema> {
    return this.#now()[Symbol.iterator]();
  }

  override forCustomers(): Catalogue {
    return new LiveCatalogue(this.#source, this.#version, "customer");
  }

  #now(): Catalogue {
    const version = this.#version();
    if (this.#made?.version !== version) {
      const known = [...this.#source()].filter(({ visibility }) => this.#visibility === null || visibility === this.#visibility);
      this.#made = { version, catalogue: new Catalogue(known) };
    }
    return this.#made.catalogue;
  }
}
