import { datumTypeOf, type Catalogue, type FieldSet, type Sample, type TimeseriesSchema } from "../core/index.ts";
import type { RefusalReason } from "../store/index.ts";

interface Verdict {
  readonly target: Sample["target"];
  readonly timeseriesName: string;
  readonly timeseriesVersion: number;
  readonly datumType: string;
  readonly reason: RefusalReason | null;
}

/**
 * Holds samples against the catalogue, each by itself: name, version, names, types and places of fields, datum type. What is found out about a metric
 * is remembered for as long as the object lives, as readers give equal metrics as one object.
 */
export class SampleCheck {
  readonly #catalogue: Catalogue;
  readonly #verdicts = new WeakMap<Sample["metric"], Verdict>();

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /** Why a sample is refused; null where it is as declared. */
  refusal(sample: Sample): RefusalReason | null {
    const { target, metric, timeseriesName, timeseriesVersion } = sample;
    const datumType = datumTypeOf(sample.datum);
    const known = this.#verdicts.get(metric);
    if (
      known !== undefined &&
      known.target === target &&
      known.timeseriesName === timeseriesName &&
      known.datumType === datumType &&
      known.timeseriesVersion === timeseriesVersion
    ) {
      return known.reason;
    }
    const reason = this.#judge(sample, datumType);
    this.#verdicts.set(metric, { target, timeseriesName, timeseriesVersion, datumType, reason });
    return reason;
  }

  #judge({ target, metric, timeseriesName, timeseriesVersion }: Sample, datumType: string): RefusalReason | null {
    const schema = this.#catalogue.get(timeseriesName);
    // The store keeps what nothing declares where customers cannot look, and sees to it that it stays as its first sample was.
    if (schema === undefined) return null;
    const asDeclared =
      schema.datumType === datumType &&
      schema.version === timeseriesVersion &&
      schema.targetName === target.name &&
      schema.metricName === metric.name &&
      hasFields(schema, "target", target.fields) &&
      hasFields(schema, "metric", metric.fields);
    return asDeclared ? null : "schema_mismatch";
  }
}

/** Both lists are sorted by name. */
function hasFields(schema: TimeseriesSchema, source: "target" | "metric", fields: FieldSet): boolean {
  const declared = schema.fields.filter((field) => field.source === source);
  return (
    declared.length === fields.length && declared.every(({ name, type }, i) => fields[i]!.name === name && fields[i]!.value.type === type)
  );
}
