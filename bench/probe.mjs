// Loaded into a measured process before its program: answers its parent's questions about what it costs.
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

// It wakes the process a hundred times a second, which is most of what an idle one takes, so it runs only from the first reset on.
const delay = monitorEventLoopDelay({ resolution: 10 });
process.on("message", ({ cost, reset }) => {
  if (cost !== true) return;
  const { user, system } = process.cpuUsage();
  process.send({
    cpuMs: (user + system) / 1000,
    rssBytes: process.memoryUsage.rss(),
    peakRssBytes: peakRssBytes(),
    loopP99Ms: delay.percentile(99) / 1e6,
    loopMaxMs: delay.max / 1e6,
    ...globalThis.zonemeterBench?.(),
  });
  if (!reset) return;
  delay.enable();
  delay.reset();
});
// The channel to the parent must not keep the process alive.
process.channel?.unref();

/** VmHWM: the most that was ever resident. */
function peakRssBytes() {
  const found = process.platform === "linux" ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "latin1")) : null;
  return found === null ? process.resourceUsage().maxRSS * 1024 : Number(found[1]) * 1024;
}
