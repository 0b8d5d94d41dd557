import { round } from "./measure.mjs";

/** One line for each figure that has a budget. */
export function summary({ results }) {
  const rows = [];
  const row = (name, what, figure, budget, unit, atMost = true) =>
    rows.push([
      name,
      what,
      `${figure} ${unit}`,
      `${atMost ? "<=" : ">="} ${budget} ${unit}`,
      (atMost ? figure <= budget : figure >= budget) ? "met" : "MISSED",
      String(results[name].unitMs),
      String(results[name].load),
    ]);
  const { agent, serve, collect, queries, week, disk } = results;
  if (agent !== undefined) {
    for (const kind of ["kstat", "cgroup"]) {
      row("agent", `${kind}, 100 zones each 10 s`, agent[kind].cpuPercent, 1, "% of a core");
      row("agent", `${kind}, resident memory after the first read`, agent[kind].rssAtRestMiB, 120, "MiB");
      row("agent", `${kind}, at most in ${agent[kind].reads} reads in a row`, agent[kind].rssPolledMiB, 120, "MiB");
      row("agent", `${kind}, at most with the ring full`, agent[kind].rssFullMiB, 120, "MiB");
      row("agent", `${kind}, at most ever (VmHWM), a full ring drained`, agent[kind].rssPeakMiB, 120, "MiB");
      row("agent", `${kind}, event loop p99`, agent[kind].loopP99Ms, 50, "ms");
    }
  }
  if (serve !== undefined) row("serve", "collection of 1,200 samples", serve.cpuMs, 6.7, "ms CPU");
  if (collect !== undefined)
    row("collect", "full-shape samples, read and stored", collect.samplesPerCoreSecond, 30_000, "/s per core", false);
  if (disk !== undefined) {
    row("disk", "five metrics, zone and interval", round(disk.bytesPerZoneInterval, 2), 15.5, "bytes");
    if (disk.peerBytesPerZoneInterval !== null)
      row("disk", "the same, by the peer", round(disk.bytesPerZoneInterval / disk.peerBytesPerZoneInterval, 2), 1, "x");
  }
  const asked = [queries, week].flatMap((set, index) => (set?.results ?? []).map((result) => ({ ...result, name: ["queries", "week"][index], set })));
  for (const { id, name, ours, problem, peer, set } of asked) {
    const against = Object.entries(peer).map(
      ([form, theirs]) =>
        `peer ${form} p50 ${theirs.p50Ms} p95 ${theirs.p95Ms} CPU ${theirs.cpuMs} ms: ${round(ours.p50Ms / theirs.p50Ms, 2)}x (CPU ${theirs.cpuMs > 0 ? round(ours.cpuMs / theirs.cpuMs, 1) : "-"}x)`,
    );
    const fastest = Math.min(...Object.values(peer).map(({ p50Ms }) => p50Ms));
    const verdict = problem !== null ? "WRONG" : against.length === 0 ? "right" : ours.p50Ms <= fastest ? "met" : "MISSED";
    const figures = `p50 ${ours.p50Ms} p95 ${ours.p95Ms} CPU ${ours.cpuMs} ms`;
    rows.push([
      name,
      id,
      figures,
      against.length === 0 ? "(no victoria-metrics on PATH)" : against.join(", "),
      verdict,
      String(set.unitMs),
      String(set.load),
    ]);
  }
  return table([["bench", "what", "figure", "budget", "", "unit_ms", "load"], ...rows]);
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
