/** Tells the values of an answer apart as `trueAnswers` does: by sled, zone or type, and time. */
export function valuesOf(id, { tables }) {
  const values = new Map();
  for (const { name, timeseries } of tables) {
    for (const { fields, points } of timeseries) {
      const field = (of) => fields[of]?.value;
      const zone = `${field("sled_serial")}|${field("zone_name")}`;
      const [column] = points.values;
      for (const [row, value] of column.values.values.entries()) {
        if (value === null) continue;
        const at = Date.parse(points.timestamps[row]) / 1000;
        values.set(keyOf(id, { name, field, zone, at }), id === "Q6" ? 1 : value);
      }
    }
  }
  return values;
}

function keyOf(id, { name, field, zone, at }) {
  switch (id) {
    case "Q4":
      return `${field("zone_type")}|${at}`;
    case "Q5": {
      const metric = name.slice(name.indexOf(":") + 1);
      return field("state") === undefined ? metric : `${metric}(${field("state")})`;
    }
    case "Q6":
      return zone;
    default:
      return `${zone}|${at}`;
  }
}

/** What is wrong with an answer in one sentence, or null. */
export function difference(found, wanted) {
  if (found.size !== wanted.size) return `${found.size} values instead of ${wanted.size}`;
  for (const [key, value] of wanted) {
    const other = found.get(key);
    if (other === undefined) return `no value for ${key}`;
    if (Math.abs(other - value) > 1e-9 * Math.max(Math.abs(other), Math.abs(value))) return `${other} instead of ${value} for ${key}`;
  }
  return null;
}
