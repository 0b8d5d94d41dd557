import { hasStartTime, QUERY_GROUP_WINDOWS } from "../core/index.ts";
import type { Limit } from "./ast.ts";
import { formatDuration } from "./format-duration.ts";
import type { Alternatives } from "./normal-form.ts";
import type { Plan, PlannedGet, PlanNode } from "./plan.ts";
import { printOperation, printTerm } from "./printer.ts";
import type { TableSchema } from "./table-schema.ts";

/**
 * The plan for people: each get with what the store is asked for, the operations that run on the answer, and what comes out. One
 * text of several lines, no newline at the end.
 */
export function printPlan({ root, tables }: Plan): string {
  return [...nodeLines(root), "gives", ...tables.map((table) => `  ${describeTable(table)}`)].join("\n");
}

/** `nic:tx {node: string, port: u16}: delta integer`, and the period where it is aligned. */
export function describeTable({ name, fields, columns, alignment }: TableSchema): string {
  const shownFields = [...fields].map(([field, type]) => `${field}: ${type}`).join(", ");
  const shownColumns = columns.map(({ metricType, dataType }) => `${metricType} ${dataType}`).join(", ");
  return `${name} {${shownFields}}: ${shownColumns}${alignment === null ? "" : ` every ${formatDuration(alignment.periodNs)}`}`;
}

function nodeLines(node: PlanNode): string[] {
  switch (node.kind) {
    case "get":
      return getLines(node.get);
    case "delta":
      return [...nodeLines(node.input), "| delta"];
    case "operation":
      return [...nodeLines(node.input), `| ${printOperation(node.operation)}`];
    case "group": {
      const queries = node.inputs.map((input, index) => {
        const lines = nodeLines(input).map((line) => `  ${line}`);
        return index < node.inputs.length - 1 ? [...lines.slice(0, -1), `${lines.at(-1)};`] : lines;
      });
      return ["{", ...queries.flat(), "}"];
    }
  }
}

function getLines({ get, pushed, request, schema }: PlannedGet): string[] {
  const lines = [`get ${get.timeseriesName}`];
  const conditions = conditionLines(request.alternatives.map(({ fields, times }) => [...fields, ...times]));
  lines.push(...conditions.map((condition, index) => `    ${index === 0 ? "where" : "   or"} ${condition}`));
  if (conditions.length === 0) lines.push("    all rows");
  if (request.limit !== null) lines.push(`    ${limitLine(request.limit)}`);
  if (request.lookBack) lines.push("    and the sample before each range");
  if (pushed !== null) {
    const { align, groupBy } = pushed;
    const parts = hasStartTime(schema.datumType) ? "its first and last sample" : "the sum and number of its samples";
    lines.push(`    of each window of ${formatDuration(align.periodNs)} only ${parts}`);
    if (groupBy !== null)
      lines.push(`    from ${QUERY_GROUP_WINDOWS} windows on reduced there: ${printOperation(align)} | ${printOperation(groupBy)}`);
  }
  return lines;
}

function conditionLines(alternatives: Alternatives): string[] {
  return alternatives.map((terms) => terms.map(printTerm).join(" && "));
}

function limitLine({ end, count }: Pick<Limit, "end" | "count">): string {
  return `the ${end} ${count} of each timeseries`;
}
