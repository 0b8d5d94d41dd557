import type { DatumType, FieldSet } from "../../src/core/index.ts";
import type { Column, Distribution, OxqlData, Selection, SelectRequest } from "../../src/oxql/index.ts";

export type StoredValue = bigint | number | boolean | string | Distribution<bigint> | Distribution<number> | null;

export interface StoredSample {
  /** Null for gauges. */
  readonly startTimeNs: bigint | null;
  readonly timestampNs: bigint;
  /** Null where it is missing. */
  readonly value: StoredValue;
}

export interface StoredSeries {
  readonly timeseriesName: string;
  readonly fields: FieldSet;
  readonly samples: readonly StoredSample[];
}

export interface MemoryDataOptions {
  /** An unanchored search for the pattern of `~=`. */
  readonly matches: (pattern: string, text: string) => boolean;
  /** Makes what `select` rejects with when there are too many rows. */
  readonly limitError: (message: string) => Error;
  /** Rows that are stored twice stay two, as upstream reads them. */
  readonly asStored?: boolean;
}

export declare class MemoryData implements OxqlData {
  constructor(series: readonly StoredSeries[], options: MemoryDataOptions);
  readonly requests: SelectRequest[];
  select(request: SelectRequest, signal: AbortSignal): Promise<Selection>;
}

export declare function valueColumn(values: readonly StoredValue[], datumType: DatumType): Column;
