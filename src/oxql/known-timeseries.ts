import { didYouMean, type Catalogue } from "../core/index.ts";
import type { Query } from "./ast.ts";
import { metricName } from "./column-names.ts";
import { list } from "./messages.ts";
import { placeWithin } from "./place-within.ts";
import { queryError } from "./query-error.ts";

/** How many timeseries a message names that only share a part of their name with the one asked for. */
const RELATED_SHOWN = 5;

/** Throws `unknown_timeseries` for the first get, in subqueries too, of a name that the catalogue does not have. */
export function requireKnown({ operations, text }: Query, catalogue: Catalogue): void {
  for (const operation of operations) {
    if (operation.kind === "group") for (const query of operation.queries) requireKnown(query, catalogue);
    if (operation.kind !== "get" || catalogue.get(operation.timeseriesName) !== undefined) continue;
    const { timeseriesName, position } = operation;
    throw queryError(
      "unknown_timeseries",
      `There is no timeseries "${timeseriesName}".${suggestion(timeseriesName, [...catalogue.names()])}`,
      placeWithin(text, position, timeseriesName),
    );
  }
}

/** The nearest name, else those that have the same metric or the same target; may be empty. */
function suggestion(name: string, names: readonly string[]): string {
  const nearest = didYouMean(name, names);
  if (nearest !== "") return nearest;
  const [target, metric] = [name.split(":")[0]!, metricName(name)];
  const sameMetric = names.filter((each) => metricName(each) === metric);
  const related = sameMetric.length > 0 ? sameMetric : names.filter((each) => each.startsWith(`${target}:`));
  if (related.length === 0) return "";
  const others = related.length > RELATED_SHOWN ? [`${related.length - RELATED_SHOWN} others`] : [];
  return ` There ${related.length === 1 ? "is" : "are"} ${list([...related.slice(0, RELATED_SHOWN), ...others], "and")}.`;
}
