// The `schema` of a case as the catalogue that the engine plans with.
import { Catalogue } from "../../dist/core/index.js";

export function catalogueOf(schema) {
  return new Catalogue(schema.map(timeseriesSchema));
}

function timeseriesSchema({ timeseries_name: timeseriesName, datum_type: datumType, fields }) {
  const [targetName, metricName] = timeseriesName.split(":");
  const names = Object.keys(fields).sort();
  return {
    timeseriesName,
    targetName,
    metricName,
    version: 1,
    targetDescription: "",
    metricDescription: "",
    authzScope: "fleet",
    visibility: "customer",
    units: "none",
    datumType,
    fields: names.map((name) => ({ name, type: fields[name], source: "target", description: "", values: null })),
  };
}
