import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TimeseriesSchema } from "../../src/core/index.ts";
import type {
  Comparison,
  Literal,
  Membership,
  SelectAlternative,
  SelectedSeries,
  SelectRequest,
  WindowData,
} from "../../src/oxql/index.ts";
import { silentLogger } from "../../src/runtime/index.ts";
import { openEmbeddedStore, openServerStore, type EmbeddedStoreOptions, type Store } from "../../src/store/index.ts";
import { openServerEngine } from "../../src/store/server-engine.ts";
import { startClickHouseShim } from "./clickhouse-shim.ts";
import { ManualClock } from "./manual-clock.ts";
import { schemaOf, ZONE_SCHEMAS } from "./zone-schema.ts";

const SECOND = 1_000_000_000n;

/** 2026-11-30T12:00:00Z: what stores of these tests take for now. The engine expires rows by the machine's clock, so they keep all. */
export const NOW_NS = 1_796_040_000n * SECOND;

/** A fresh directory, removed by `remove`. */
export function freshDirectory(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "zonemeter-store-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The variable that says where stores of tests are: `embedded`, `shim`, or the URL of a ClickHouse server that holds nothing of worth. */
export const TEST_STORE = "ZONEMETER_TEST_STORE";

export async function openStoreAt(dataDir: string, more: Partial<EmbeddedStoreOptions> = {}): Promise<Store & WindowData> {
  const options = { schemas: ZONE_SCHEMAS, logger: silentLogger, clock: new ManualClock(NOW_NS), retentionDays: null, ...more };
  const where = process.env[TEST_STORE] ?? "embedded";
  if (where === "embedded") return openEmbeddedStore({ dataDir, ...options });
  return where === "shim" ? openOverShim(dataDir, options) : openOnServer(where, dataDir, options);
}

type Options = Omit<EmbeddedStoreOptions, "dataDir">;

async function openOverShim(dataDir: string, options: Options): Promise<Store & WindowData> {
  const shim = await startClickHouseShim(dataDir);
  try {
    return endingWith(await openServerStore({ ...options, url: shim.url }), () => shim.close());
  } catch (error) {
    await shim.close();
    throw error;
  }
}

const begun = new Set<string>();

/** A directory stands for the server's databases, emptied when it comes up first. */
async function openOnServer(url: string, dataDir: string, options: Options): Promise<Store & WindowData> {
  if (!begun.has(dataDir)) {
    begun.add(dataDir);
    const engine = await openServerEngine({ url, logger: silentLogger });
    for (const database of ["oximeter", "oximeter_internal"]) await engine.run(`DROP DATABASE IF EXISTS ${database} SYNC`);
    await engine.close();
  }
  return openServerStore({ ...options, url });
}

/** The store, whose `close` also does what comes after. */
function endingWith(store: Store & WindowData, after: () => Promise<void>): Store & WindowData {
  const close = store.close.bind(store);
  return Object.assign(store, {
    close: async () => {
      await close();
      await after();
    },
  });
}

const position = { offset: 0, length: 0, line: 1, column: 1 };

/** A condition on a field. Strings are written as they are; other literals are given. */
export function fieldIs(identifier: string, operator: Comparison["operator"], literal: string | LiteralValue): Comparison {
  return { kind: "comparison", identifier, operator, literal: literalOf(literal), position };
}

export function fieldIn(identifier: string, literals: readonly (string | LiteralValue)[], negated = false): Membership {
  return { kind: "in", identifier, literals: literals.map(literalOf), negated, position };
}

export function timeIs(operator: Comparison["operator"], valueNs: bigint): Comparison {
  return {
    kind: "comparison",
    identifier: "timestamp",
    operator,
    literal: { type: "timestamp", valueNs, text: `@${valueNs}`, position },
    position,
  };
}

type WithoutPosition<T> = T extends unknown ? Omit<T, "position"> : never;
export type LiteralValue = WithoutPosition<Literal>;

function literalOf(literal: string | LiteralValue): Literal {
  return { ...(typeof literal === "string" ? { type: "string" as const, value: literal } : literal), position } as Literal;
}

export interface Asked {
  readonly where?: readonly SelectAlternative["fields"][number][];
  readonly times?: readonly Comparison[];
  /** Several alternatives instead of one. */
  readonly any?: readonly SelectAlternative[];
  readonly limit?: SelectRequest["limit"];
  readonly lookBack?: boolean;
  readonly maxRows?: number;
  readonly schemas?: readonly TimeseriesSchema[];
}

/** Selects and returns one row for each sample, in plain form and order: series sorted by their fields. */
export async function selectRows(store: Pick<Store, "select">, name: string, asked: Asked = {}): Promise<SampleRow[]> {
  const { where = [], times = [], any, limit = null, lookBack = false, maxRows = 1_000_000, schemas = ZONE_SCHEMAS } = asked;
  const request: SelectRequest = {
    schema: schemaOf(name, schemas),
    alternatives: any ?? [{ fields: where, times }],
    limit,
    lookBack,
    maxRows,
  };
  const { series } = await store.select(request, new AbortController().signal);
  return series.flatMap(rowsOf).sort((a, b) => (a.series < b.series ? -1 : a.series > b.series ? 1 : 0));
}

export interface SampleRow {
  /** Values of all fields, by name. */
  readonly series: string;
  readonly startTimeNs: bigint | null;
  readonly timestampNs: bigint;
  readonly value: unknown;
}

function rowsOf({ fields, startTimesNs, timestampsNs, values }: SelectedSeries): SampleRow[] {
  const series = fields.map(({ name, value }) => `${name}=${String(value.value)}`).join(" ");
  return Array.from(timestampsNs, (timestampNs, i) => ({
    series,
    startTimeNs: startTimesNs?.[i] ?? null,
    timestampNs,
    value: values.values[i],
  }));
}
