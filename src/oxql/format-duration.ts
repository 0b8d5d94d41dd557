import { DURATION_UNITS_NS, MAX_DURATION_COUNT } from "./literals.ts";

/**
 * A duration as OxQL writes it, in the largest unit from weeks down that it is a whole number of: `90s`, `2h`, `1500ms`. In years or
 * months only where the count would be too large for a literal otherwise.
 */
export function formatDuration(ns: bigint): string {
  if (ns === 0n) return "0s";
  const exact = DURATION_UNITS_NS.filter(([, unitNs]) => ns % unitNs === 0n && ns / unitNs <= MAX_DURATION_COUNT);
  const [unit, unitNs] = exact.find(([name]) => name !== "Y" && name !== "M") ?? exact[0] ?? (["ns", 1n] as const);
  return `${ns / unitNs}${unit}`;
}
