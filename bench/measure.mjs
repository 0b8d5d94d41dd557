import { loadavg } from "node:os";

/** Middle value. */
export function median(values) {
  return quantile(values, 0.5);
}

/** Nearest rank. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.round(share * (sorted.length - 1)))];
}

/** CPU ms of a fixed loop: divides the speed of the machine and of the moment out of other figures. */
export function unitMs() {
  const times = [];
  for (let run = 0; run < 7; run++) {
    const before = process.cpuUsage();
    let x = 1;
    for (let i = 0; i < 10_000_000; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
    if (x === 0) throw new Error("the loop must not be left out");
    times.push(cpuMs(before));
  }
  return round(median(times), 2);
}

/** CPU ms of this process, all threads, since `before`. */
export function cpuMs(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

export function load() {
  return round(loadavg()[0], 1);
}

export function round(value, digits) {
  return Number(value.toFixed(digits));
}
