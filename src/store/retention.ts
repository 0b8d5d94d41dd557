import { STORE_RETENTION_MAX_DAYS, ZonemeterError } from "../core/index.ts";

/** Throws ZonemeterError `config` for a number of days that samples cannot be kept. */
export function checkRetention(retentionDays: number): void {
  if (Number.isInteger(retentionDays) && retentionDays >= 1 && retentionDays <= STORE_RETENTION_MAX_DAYS) return;
  throw new ZonemeterError(
    "config",
    `Samples cannot be kept for ${retentionDays} days: give a whole number from 1 to ${STORE_RETENTION_MAX_DAYS}.`,
  );
}
