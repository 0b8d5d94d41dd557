import { identifier } from "./literal.ts";
import type { ColumnDesign, WideDesign } from "./layout.ts";
import type { EngineColumn } from "./engine.ts";
import { PRESENCE_BITS, presenceName, samplesTable } from "./statements.ts";
import { valueTypeOf, type ValueType } from "./value-type.ts";

/** A column that exists, and where its presence bit is. */
export interface WideColumn extends ColumnDesign {
  /** Place among this process' columns of the table. */
  readonly index: number;
  readonly valueType: ValueType;
  readonly presenceWord: number;
  readonly presenceMask: number;
}

/** A wide table as it stands in the engine. */
export interface WideTable {
  readonly design: WideDesign;
  /** Quoted, with the database. */
  readonly samples: string;
  readonly columns: readonly WideColumn[];
  /** How many presence columns rows have. */
  readonly presenceWords: number;
  /** What an insert writes. */
  readonly rowColumns: readonly EngineColumn[];
}

/**
 * Puts a design over the columns that the engine has. `storedNames` are the value columns in table order: a column's place there is its
 * presence bit for ever, as columns are only ever added behind.
 */
export function placeTable(design: WideDesign, storedNames: readonly string[]): WideTable {
  const bits = new Map(storedNames.map((name, bit) => [name, bit]));
  const columns = design.columns.map((column, index): WideColumn => {
    const bit = bits.get(column.name);
    if (bit === undefined) throw new RangeError(`column ${column.name} of ${design.name} does not exist`);
    return {
      ...column,
      index,
      valueType: valueTypeOf(column.datumType),
      presenceWord: Math.floor(bit / PRESENCE_BITS),
      presenceMask: (1 << (bit % PRESENCE_BITS)) >>> 0,
    };
  });
  const presenceWords = 1 + Math.max(0, ...columns.map((column) => column.presenceWord));
  const rowColumns: EngineColumn[] = [
    { name: "b", type: "UInt32" },
    { name: "sid", type: "UInt64" },
    { name: "ts", type: "DateTime64(9, 'UTC')" },
    ...Array.from({ length: presenceWords }, (_, word) => ({ name: presenceName(word), type: "UInt32" })),
    ...columns.map((column) => ({ name: column.name, type: column.valueType.sqlType })),
  ];
  return { design, samples: samplesTable(design), columns, presenceWords, rowColumns };
}

/** SQL that holds for rows in which any of the columns has a value. */
export function presenceCondition(columns: readonly WideColumn[]): string {
  const masks = new Map<number, number>();
  for (const { presenceWord, presenceMask } of columns) masks.set(presenceWord, ((masks.get(presenceWord) ?? 0) | presenceMask) >>> 0);
  const tests = [...masks].map(([word, mask]) => `bitAnd(${presenceName(word)}, ${mask}) != 0`);
  return tests.length === 1 ? tests[0]! : `(${tests.join(" OR ")})`;
}

/** SQL of a column as scans want it: 8 bytes wide, or text. */
export function scanExpression(column: WideColumn): string {
  const { scanType, sqlType } = column.valueType;
  return scanType === sqlType ? identifier(column.name) : `to${scanType}(${identifier(column.name)})`;
}
