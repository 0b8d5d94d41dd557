import { Catalogue, ZonemeterError, type Visibility } from "../core/index.ts";
import { formatFinding } from "./finding.ts";
import { PRODUCT_SCHEMAS_DIR } from "./product-files.ts";
import { readSchemaFiles } from "./schema-files.ts";
import { errorsOf, readSchemaSet, schemasOfSet, type SchemaSet } from "./schema-set.ts";
import { resolveVisibility } from "./visibility-table.ts";

/**
 * The timeseries that the definitions of a folder declare; by default the product's own. Throws ZonemeterError `config` where one of them is
 * wrong, naming the first place.
 */
export function loadCatalogue(dir: string = PRODUCT_SCHEMAS_DIR): Catalogue {
  return new Catalogue(schemasOfSet(loadSet(dir)));
}

/**
 * Says who may see a timeseries of any name, as the definitions and the visibility table of a folder declare it. Names that neither knows
 * are `operator_only`. Throws as `loadCatalogue` does.
 */
export function loadVisibility(dir: string = PRODUCT_SCHEMAS_DIR): (timeseriesName: string) => Visibility {
  const set = loadSet(dir);
  const catalogue = new Catalogue(schemasOfSet(set));
  return (timeseriesName) => resolveVisibility(timeseriesName, catalogue, set.table);
}

/** The names that the visibility table of a folder shows to customers: all of them, as it has no wildcard that shows. Throws as `loadCatalogue` does. */
export function loadCustomerNames(dir: string = PRODUCT_SCHEMAS_DIR): string[] {
  const { table } = loadSet(dir);
  return table === null ? [] : [...table.entries()].filter(([, { visibility }]) => visibility === "customer").map(([name]) => name);
}

function loadSet(dir: string): SchemaSet {
  const set = readSchemaSet(readSchemaFiles([dir]), { ours: true });
  const errors = errorsOf(set.findings);
  if (errors.length === 0) return set;
  const more = errors.length === 1 ? "" : ` (and ${errors.length - 1} more)`;
  throw new ZonemeterError(
    "config",
    `Schema ${formatFinding(errors[0]!)}${more}; \`zonemeter schema check ${dir}\` lists what to correct.`,
  );
}
