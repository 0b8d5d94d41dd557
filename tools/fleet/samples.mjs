import { fieldSet, NIL_UUID } from "../../dist/core/index.js";

const NS = 1_000_000_000n;

/** What identities the loaded samples have beside those in the fleet's own files. */
const RACK_ID = "5a0f8a5e-6c2b-4c53-9d0f-3f2f1d7a9b10";
const SOURCE = "kstat";

/** Makes the samples that a producer with the kstat source would send of one sled. */
export class SledSamples {
  #sled;
  #targetFields;
  #zones = new Map();

  constructor(sled) {
    this.#sled = sled;
    this.#targetFields = fieldSet([
      { name: "rack_id", value: { type: "uuid", value: RACK_ID } },
      { name: "sled_id", value: { type: "uuid", value: sled.sled_id } },
      { name: "sled_model", value: { type: "string", value: "913-0000019" } },
      { name: "sled_revision", value: { type: "u32", value: 6n } },
      { name: "sled_serial", value: { type: "string", value: sled.serial } },
    ]);
  }

  /** Samples of all zones at one time. */
  ofZones(rows, into) {
    const timestampNs = BigInt(rows[0].ts) * NS;
    for (const row of rows) {
      const zone = this.#zone(row);
      const startTimeNs = BigInt(row.bootTs) * NS;
      const counter = (value) => ({ type: "cumulative_u64", startTimeNs, value: BigInt(value) });
      into.push(
        { ...zone.user, timestampNs, datum: counter(row.userNs) },
        { ...zone.sys, timestampNs, datum: counter(row.sysNs) },
        { ...zone.waitrq, timestampNs, datum: counter(row.waitrqNs) },
        { ...zone.resident, timestampNs, datum: { type: "u64", value: BigInt(row.rssBytes) } },
        { ...zone.reserved, timestampNs, datum: { type: "u64", value: BigInt(row.virtBytes) } },
      );
    }
  }

  /** Samples of the sled as a whole at one time. */
  ofSled(ts, into) {
    const timestampNs = BigInt(ts) * NS;
    const target = { name: "sled_resource", fields: this.#targetFields };
    const source = [{ name: "source", value: { type: "string", value: SOURCE } }];
    const gauge = (name, value) =>
      into.push({
        timeseriesName: `sled_resource:${name}`,
        timeseriesVersion: 1,
        target,
        metric: { name, fields: source },
        timestampNs,
        datum: { type: "u64", value: BigInt(value) },
      });
    gauge("cpus_online", this.#sled.cpus);
    gauge("memory_total", this.#sled.phys_bytes);
  }

  /** What the samples of one zone have in common, made once. */
  #zone({ zone, zoneType }) {
    const known = this.#zones.get(zone);
    if (known !== undefined) return known;
    const zoneId = /_([0-9a-f-]{36})$/.exec(zone)?.[1] ?? NIL_UUID;
    const fields = [
      { name: "zone_name", value: { type: "string", value: zone } },
      { name: "zone_type", value: { type: "string", value: zoneType } },
      { name: "zone_id", value: { type: "uuid", value: zoneId } },
      { name: "source", value: { type: "string", value: SOURCE } },
    ];
    const target = { name: "zone_resource", fields: this.#targetFields };
    const metric = (name, ...more) => ({
      timeseriesName: `zone_resource:${name}`,
      timeseriesVersion: 1,
      target,
      metric: { name, fields: fieldSet([...fields, ...more]) },
    });
    const cpu = (state) => metric("cpu_nsec", { name: "state", value: { type: "string", value: state } });
    const made = {
      user: cpu("user"),
      sys: cpu("sys"),
      waitrq: cpu("waitrq"),
      resident: metric("memory_resident"),
      reserved: metric("swap_reserved"),
    };
    this.#zones.set(zone, made);
    return made;
  }
}
