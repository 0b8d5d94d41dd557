import { NIL_UUID } from "../core/index.ts";

const OMICRON_ZONE = /^oxz_(.+)_([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i;

/** What zone names may hold: letters, digits, `-`, `_`, `.`; first a letter or digit; at most 63 characters. */
const ZONE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

export function isZoneName(text: string): boolean {
  return ZONE_NAME.test(text);
}

/**
 * Splits `oxz_TYPE_UUID`. TYPE may itself hold underscores and hyphens, so the cut is at the last underscore and what follows must be a
 * UUID. Every other name (`global`, `oxz_switch`) has an empty type and the nil UUID, as in upstream's `zone` target.
 */
export function splitZoneName(zoneName: string): { readonly zoneType: string; readonly zoneId: string } {
  const match = OMICRON_ZONE.exec(zoneName);
  return match === null ? { zoneType: "", zoneId: NIL_UUID } : { zoneType: match[1]!, zoneId: match[2]!.toLowerCase() };
}
