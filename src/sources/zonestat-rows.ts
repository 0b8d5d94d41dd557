import type { FieldCursor } from "./field-cursor.ts";
import type { NamePool, PooledName } from "./name-pool.ts";
import type { OpenReport, OpenTable } from "./zonestat-open-report.ts";
import { LARGEST_PLAIN_AMOUNT, type Amount } from "./zonestat-amount.ts";
import {
  AMOUNT_RESOURCES,
  BYTE_RESOURCES,
  type PsetRow,
  type ResourceRow,
  type SummaryRow,
  type ZonestatPset,
  type ZonestatResource,
} from "./zonestat-report.ts";

/**
 * What became of a row. `damaged`: too few fields or a number that cannot be read. `unknown`: a resource or aggregate that is not known yet.
 * `twice`: this zone already has such a row in this report, so rows of two runs have been mixed.
 */
export type RowOutcome = "row" | "resource" | "damaged" | "unknown" | "twice";

const RESOURCE = "[resource]";

/** Resources whose total is the memory of the machine. */
const SYSTEM_MEMORY: ReadonlySet<string> = new Set(["physical-memory", "virtual-memory", "locked-memory"]);

/** What names of processor sets may be made of; zone names are a part of it. */
const PSET_NAME = /^[\x21-\x39\x3b-\x7e]{1,256}$/;

/** Reads one row of `zonestat -p` into the report that is open. The cursor stands behind `report:`. Fields added at a row's end are ignored. */
export function readZonestatRow(cursor: FieldCursor, names: NamePool, report: OpenReport): RowOutcome {
  if (cursor.takes("summary:")) return readSummaryRow(cursor, names, report);
  const type = cursor.word();
  if (AMOUNT_RESOURCES.has(type)) return readResourceRow(type, cursor, names, report);
  if (type === "processor-set") return readPsetRow(cursor, names, report);
  return "unknown";
}

/** `summary:ZONE:CPU:%PART:%CAP:%SHRU:PHYS:PCT:%CAP:VIRT:PCT:%CAP` */
function readSummaryRow(cursor: FieldCursor, names: NamePool, report: OpenReport): RowOutcome {
  const zone = cursor.name(names);
  if (zone.name === RESOURCE) return readSummaryTotals(cursor, names, report);
  const row: SummaryRow = {
    zone: zone.name,
    cpuUsed: cursor.hundredths(),
    cpuPartFraction: cursor.percent(),
    cpuCapFraction: cursor.percent(),
    cpuShareUsedFraction: cursor.percent(),
    physicalBytes: cursor.amount(false),
    physicalFraction: cursor.percent(),
    physicalCapFraction: cursor.percent(),
    virtualBytes: cursor.amount(true),
    virtualFraction: cursor.percent(),
    virtualCapFraction: cursor.percent(),
  };
  if (cursor.bad || !isRowName(zone)) return refusal(cursor, zone);
  return addRow(summaryOf(report, names), zone, row);
}

/** `summary:[resource]:CPUS:ONLINE:PHYSICAL:VIRTUAL` */
function readSummaryTotals(cursor: FieldCursor, names: NamePool, report: OpenReport): RowOutcome {
  const cpus = cursor.wholeOrDash();
  const cpusOnline = cursor.wholeOrDash();
  const physicalBytes = cursor.amount(false);
  const virtualBytes = cursor.amount(true);
  if (cursor.bad || isCutTotal(physicalBytes) || isCutTotal(virtualBytes)) return "damaged";
  const summary = summaryOf(report, names).of;
  if (summary.cpus !== null) return "twice";
  Object.assign(summary, { cpus, cpusOnline, physicalBytes, virtualBytes });
  return "resource";
}

/** `TYPE:NAME:[resource]:TOTAL`, `TYPE:NAME:ZONE:USED:PCT:CAP:%CAP` */
function readResourceRow(type: string, cursor: FieldCursor, names: NamePool, report: OpenReport): RowOutcome {
  const name = cursor.word();
  const zone = cursor.name(names);
  const wholePages = type === "virtual-memory";
  const used = cursor.amount(wholePages);
  if (zone.name === RESOURCE) {
    if (cursor.bad || !PSET_NAME.test(name) || (SYSTEM_MEMORY.has(type) && isCutTotal(used))) return "damaged";
    const resource = resourceOf(report, names, type, name).of;
    if (resource.total !== null) return "twice";
    resource.total = used;
    return "resource";
  }
  const row: ResourceRow = {
    zone: zone.name,
    used,
    usedFraction: cursor.percent(),
    cap: cursor.amount(wholePages),
    capFraction: cursor.percent(),
  };
  if (cursor.bad || !isRowName(zone) || !PSET_NAME.test(name)) return refusal(cursor, zone);
  return addRow(resourceOf(report, names, type, name), zone, row);
}

/**
 * `processor-set:CPUTYPE:PSET:[resource]:ONLINE:CPUS:MIN:MAX:TIME`,
 * `processor-set:CPUTYPE:PSET:ZONE:USED:PCT:CAP:%CAP:SHRS:%SHR:%SHRU:TIME`
 */
function readPsetRow(cursor: FieldCursor, names: NamePool, report: OpenReport): RowOutcome {
  const cpuType = cursor.word();
  const name = cursor.word();
  const zone = cursor.name(names);
  if (!PSET_NAME.test(name) || !PSET_NAME.test(cpuType)) return "damaged";
  if (zone.name === RESOURCE) {
    const totals = {
      online: cursor.wholeOrDash(),
      size: cursor.wholeOrDash(),
      min: cursor.wholeOrDash(),
      max: cursor.wholeOrDash(),
      totalTimeNs: cursor.cpuTimeNs(),
    };
    if (cursor.bad) return "damaged";
    const pset = psetOf(report, names, cpuType, name).of;
    if (pset.totalTimeNs !== null) return "twice";
    Object.assign(pset, totals);
    return "resource";
  }
  const row: PsetRow = {
    zone: zone.name,
    cpuUsed: cursor.hundredths(),
    usedFraction: cursor.percent(),
    cpuCap: cursor.hundredthsOrDash(),
    cpuCapFraction: cursor.percent(),
    shares: readShares(cursor),
    shareFraction: cursor.percent(),
    shareUsedFraction: cursor.percent(),
    timeNs: cursor.cpuTimeNs(),
  };
  if (cursor.bad || !isRowName(zone)) return refusal(cursor, zone);
  return addRow(psetOf(report, names, cpuType, name), zone, row);
}

/** No machine has less than 10000 bytes of memory: such a total, which ends its line, is what is left of a longer one. */
function isCutTotal(total: Amount): boolean {
  return typeof total === "bigint" && total <= BigInt(LARGEST_PLAIN_AMOUNT);
}

function readShares(cursor: FieldCursor): PsetRow["shares"] {
  const word = cursor.word();
  if (word === "-") return null;
  if (word === "inf" || word === "no-fss") return word;
  if (!/^(0|[1-9]\d{0,19})$/.test(word)) cursor.bad = true;
  return cursor.bad ? null : BigInt(word);
}

function isRowName(zone: PooledName): boolean {
  return zone.isZone || zone.name === "[total]" || zone.name === "[system]";
}

/** An aggregate that nobody knows yet is passed over; all else that does not fit is damage. */
function refusal(cursor: FieldCursor, zone: PooledName): RowOutcome {
  return !cursor.bad && /^\[[a-z-]+\]$/.test(zone.name) ? "unknown" : "damaged";
}

function addRow<T>(table: OpenTable<{ readonly rows: T[] }>, zone: PooledName, row: T): RowOutcome {
  if (zone.table === table.table) return "twice";
  zone.table = table.table;
  table.of.rows.push(row);
  return "row";
}

function summaryOf(report: OpenReport, names: NamePool): NonNullable<OpenReport["summary"]> {
  report.summary ??= {
    of: { cpus: null, cpusOnline: null, physicalBytes: null, virtualBytes: null, rows: [] },
    table: names.newTable(),
  };
  return report.summary;
}

function resourceOf(report: OpenReport, names: NamePool, type: string, name: string): OpenTable<ZonestatResource> {
  const known = report.resources.findLast(({ of }) => of.type === type && of.name === name);
  if (known !== undefined) return known;
  const unit = BYTE_RESOURCES.has(type) ? "bytes" : "count";
  const added = { of: { type, name, unit, total: null, rows: [] } as ZonestatResource, table: names.newTable() };
  report.resources.push(added);
  return added;
}

function psetOf(report: OpenReport, names: NamePool, cpuType: string, name: string): OpenTable<ZonestatPset> {
  const known = report.psets.findLast(({ of }) => of.cpuType === cpuType && of.name === name);
  if (known !== undefined) return known;
  const pset: ZonestatPset = { cpuType, name, online: null, size: null, min: null, max: null, totalTimeNs: null, rows: [] };
  const added = { of: pset, table: names.newTable() };
  report.psets.push(added);
  return added;
}
