/** What a column of a table can be called in `map` and `filter`. */

/**
 * The columns of a table that `identifier` names: a whole timeseries name, its metric part, or `datum` where there is one column.
 * More than one index where the name is ambiguous, none where it names nothing.
 */
export function columnsNamed(tableName: string, dimensions: number, identifier: string): number[] {
  if (identifier === "datum") return dimensions === 1 ? [0] : [];
  const names = tableName.split(",");
  // A map over joined data leaves one column that is none of the joined ones.
  if (names.length !== dimensions) return [];
  const wanted = identifier.includes(":") ? (name: string) => name === identifier : (name: string) => metricName(name) === identifier;
  return names.flatMap((name, index) => (wanted(name) ? [index] : []));
}

/** The part after the colon of `target:metric`. */
export function metricName(timeseriesName: string): string {
  return timeseriesName.slice(timeseriesName.indexOf(":") + 1);
}
