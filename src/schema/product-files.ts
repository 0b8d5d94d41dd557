import { fileURLToPath } from "node:url";

/** Folder of the product's own definitions: `schemas/` of the package, two levels up both from `src/schema/` and from `dist/schema/`. */
export const PRODUCT_SCHEMAS_DIR = fileURLToPath(new URL("../../schemas", import.meta.url));

/** The JSON Schema of a definition file. */
export const DEFINITION_SCHEMA_FILE = "definition.schema.json";

/** The frozen timeseries. */
export const LOCK_FILE = "lock.json";

/** Who may see timeseries that others define. */
export const VISIBILITY_FILE = "visibility.toml";
