/** Content type of the text that `prometheusText` makes. */
export const PROMETHEUS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export type PrometheusLabels = Readonly<Record<string, string>>;

/** One value of a counter or gauge. */
export interface PrometheusSample {
  readonly labels: PrometheusLabels;
  readonly value: bigint | number;
}

/** One histogram. `buckets` are cumulative and in rising order of `upTo`; the one for +Inf is added from `count`. */
export interface PrometheusHistogram {
  readonly labels: PrometheusLabels;
  readonly buckets: readonly { readonly upTo: number; readonly count: bigint }[];
  readonly sum: bigint | number;
  readonly count: bigint;
}

/** All that is said under one name. */
export type PrometheusFamily =
  | { readonly name: string; readonly help: string; readonly type: "counter" | "gauge"; readonly samples: readonly PrometheusSample[] }
  | { readonly name: string; readonly help: string; readonly type: "histogram"; readonly samples: readonly PrometheusHistogram[] };

/**
 * The text exposition format 0.0.4. Integers keep all their digits (what a scraper makes of them is its own affair). Names are trusted to
 * be valid metric and label names: they are ours.
 */
export function prometheusText(families: readonly PrometheusFamily[]): string {
  let text = "";
  for (const family of families) {
    text += `# HELP ${family.name} ${family.help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${family.name} ${family.type}\n`;
    if (family.type === "histogram") for (const sample of family.samples) text += histogramLines(family.name, sample);
    else for (const sample of family.samples) text += line(family.name, sample.labels, sample.value);
  }
  return text;
}

function histogramLines(name: string, histogram: PrometheusHistogram): string {
  let text = "";
  for (const { upTo, count } of histogram.buckets) text += line(`${name}_bucket`, { ...histogram.labels, le: printValue(upTo) }, count);
  text += line(`${name}_bucket`, { ...histogram.labels, le: "+Inf" }, histogram.count);
  return text + line(`${name}_sum`, histogram.labels, histogram.sum) + line(`${name}_count`, histogram.labels, histogram.count);
}

function line(name: string, labels: PrometheusLabels, value: bigint | number): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${label}="${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`,
  );
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${printValue(value)}\n`;
}

function printValue(value: bigint | number): string {
  if (value === Infinity) return "+Inf";
  if (value === -Infinity) return "-Inf";
  return String(value);
}
