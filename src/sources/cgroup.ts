import { CGROUP_MAX_GROUPS, SOURCE_SLICE_MS, NIL_UUID, type Clock } from "../core/index.ts";
import { cpuControllerReadings, cpuTimeReadings, unifiedCpu, type CpuTimes } from "./cgroup-cpu.ts";
import { NotMeasured, readKernelFile, reading } from "./cgroup-file.ts";
import { FinalReadings } from "./cgroup-finals.ts";
import { GroupIncarnations, identityDirectory, lookAtGroup } from "./cgroup-identity.ts";
import { findCgroupLayout, type CgroupLayout } from "./cgroup-layout.ts";
import { memoryReadings } from "./cgroup-memory.ts";
import { pidsReadings } from "./cgroup-pids.ts";
import { pressureReadings } from "./cgroup-pressure.ts";
import { findLeaf, readCgroupTree, type ControllerCheck, type GroupPlaces } from "./cgroup-tree.ts";
import { GroupWatch } from "./cgroup-watch.ts";
import { CpuacctReader, TICK_NS } from "./cpuacct.ts";
import { SLED_SUBJECT, type IdentityBook } from "./identity.ts";
import { isRootGroup, LinuxHost } from "./linux-host.ts";
import type { Diagnostic, Reading, Snapshot, Source, SourceReport } from "./source.ts";
import { TimeSlice } from "../runtime/index.ts";

export interface CgroupOptions {
  readonly book: IdentityBook;
  readonly clock: Clock;
  /** Where the machine's root is seen, "/" where it is left out. */
  readonly hostRoot?: string;
}

const VANISHED = new NotMeasured("the group vanished while it was read");

/** Name of the root group. Its numbers hold everybody's. */
const ROOT_NAME = "global";

/**
 * Control groups as zones, read in place: v2, v1 and both together. Every group at the end of its branch is a zone, named by its path; the root
 * is `global`; the machine is the sled. A group of v2 whose last process ends is read at that moment too, so that what it used since the sample before is
 * not lost with it; that reading comes with the next sample. Rejects with `unavailable` where no hierarchy is mounted.
 */
export async function createCgroupSource(options: CgroupOptions): Promise<Source> {
  const hostRoot = options.hostRoot ?? "/";
  return new CgroupSource(await findCgroupLayout(hostRoot), new LinuxHost(hostRoot), options.book, options.clock);
}

class CgroupSource implements Source {
  readonly name = "cgroup";
  readonly #layout: CgroupLayout;
  readonly #host: LinuxHost;
  readonly #book: IdentityBook;
  readonly #clock: Clock;
  readonly #bootId: string;
  readonly #incarnations: GroupIncarnations;
  readonly #cpuacct: CpuacctReader | null;
  readonly #isMachineRoot: boolean;
  readonly #watch: GroupWatch | null;
  readonly #finals = new FinalReadings();
  /** CPU time in the last sample, by path and inode. */
  #lastCpuNs = new Map<string, bigint>();
  #cpusOnline = 1n;

  constructor(layout: CgroupLayout, host: LinuxHost, book: IdentityBook, clock: Clock) {
    this.#layout = layout;
    this.#host = host;
    this.#book = book;
    this.#clock = clock;
    this.#bootId = host.bootId();
    this.#incarnations = new GroupIncarnations(this.#bootId, book);
    this.#cpuacct = layout.cpuacct === undefined ? null : new CpuacctReader(layout.cpuacct);
    this.#watch = layout.unified === undefined ? null : new GroupWatch(layout.unified, (path) => this.#emptied(path));
    this.#isMachineRoot = Object.entries(layout).every(([hierarchy, directory]) => isRootGroup(hierarchy, directory));
  }

  async read(signal: AbortSignal): Promise<SourceReport> {
    const slice = new TimeSlice(SOURCE_SLICE_MS, "Reading the control groups", signal);
    const diagnostics: Diagnostic[] = [];
    const snapshots: Snapshot[] = [];
    const lastCpuNs = new Map<string, bigint>();
    const keep = (snapshot: Snapshot | null): void => {
      if (snapshot !== null) snapshots.push(snapshot);
    };
    keep(this.#readSled());
    keep(this.#readZone(ROOT_NAME, this.#layout, lastCpuNs));
    const tree = await readCgroupTree(this.#layout, slice);
    if (tree.cut) {
      const text = `There are more than ${CGROUP_MAX_GROUPS} control groups; the rest of them are not measured.`;
      diagnostics.push({ code: "too-many-groups", text, line: null });
    }
    for (const [path, places] of tree.leaves) {
      if (slice.spent()) await slice.rest();
      keep(this.#readZone(path, places, lastCpuNs));
    }
    this.#lastCpuNs = lastCpuNs;
    diagnostics.push(...this.#follow(tree.unified));
    this.#cpuacct?.endRound();
    const finals = this.#finals.take();
    diagnostics.push(...(await this.#book.save()));
    return { snapshots: finals.length === 0 ? snapshots : inOrder([...finals, ...snapshots]), diagnostics, ended: false };
  }

  async close(): Promise<void> {
    this.#watch?.close();
  }

  /** A group that can no more be watched is read on the interval all the same. */
  #follow(groups: ReadonlySet<string>): Diagnostic[] {
    if (this.#watch === null) return [];
    this.#watch.follow(groups);
    const { failure } = this.#watch;
    if (failure === null) return [];
    const text = `The end of some groups is not watched (${failure}): what they use after their last sample is lost.`;
    return [{ code: "groups-not-watched", text, line: null }];
  }

  #emptied(path: string): void {
    const places = findLeaf(this.#layout, path);
    if (places === null) return;
    this.#finals.add(path, () => {
      const snapshot = this.#readZone(path, places, this.#lastCpuNs);
      // One that was only just made, with nothing in it yet, is not ending.
      const used = snapshot?.readings.some(({ metric, value }) => metric === "cpu_nsec" && value !== null && value > 0n);
      return used === true ? snapshot : null;
    });
  }

  #readSled(): Snapshot | null {
    const timestampNs = this.#book.stampFor(SLED_SUBJECT, "cgroup", this.#clock.wallNs());
    const cpus = this.#host.cpusOnline();
    if (!(cpus instanceof NotMeasured)) this.#cpusOnline = cpus;
    const startTimeNs = this.#book.startTimeOf({
      subjectKey: SLED_SUBJECT,
      incarnation: this.#bootId,
      bootTimeNs: this.#host.bootTimeNs(),
      createdMonotonicNs: null,
      timestampNs,
    });
    if (startTimeNs >= timestampNs) return null;
    return { source: "cgroup", subject: { kind: "sled", startTimeNs }, sled: null, timestampNs, readings: this.#host.readings(cpus) };
  }

  /**
   * Null where the group went away, or was made anew, before its CPU time was read. Where that happened later the CPU time is kept, since no other reading
   * of it will come, and the rest, which may be of the new group, is not.
   */
  #readZone(zoneName: string, places: GroupPlaces, lastCpuNs: Map<string, bigint>): Snapshot | null {
    const directory = identityDirectory(places);
    const before = lookAtGroup(directory);
    if (before === null) return null;
    const isRoot = zoneName === ROOT_NAME && this.#isMachineRoot;
    let incarnation = isRoot ? `${this.#bootId}/root/0` : this.#incarnations.name(zoneName, before.inode);
    const key = `${zoneName}@${before.inode}`;
    const wallNs = this.#clock.wallNs();
    const unifiedStat = readUnifiedStat(places);
    const cpu = this.#readCpu(zoneName, places, unifiedStat, key, incarnation);
    if (lookAtGroup(directory)?.inode !== before.inode) return null;
    let readings = this.#readRest(places, unifiedStat);
    if (lookAtGroup(directory)?.inode !== before.inode) {
      readings = readings.map(({ metric, labels }) => reading(metric, VANISHED, labels));
    }
    if (cpu instanceof NotMeasured && readings.every((each) => each.value === null)) return null;

    const timestampNs = this.#book.stampFor(zoneName, "cgroup", wallNs);
    let createdNs = isRoot ? this.#host.bootTimeNs() : before.createdNs;
    if (!(cpu instanceof NotMeasured)) {
      const usedNs = cpu.userNs + cpu.sysNs;
      if (usedNs + TICK_NS < (this.#lastCpuNs.get(key) ?? 0n)) {
        incarnation = this.#incarnations.after(incarnation);
        createdNs = null;
      } else if (createdNs !== null) {
        // It cannot have used more than all CPUs since it was made; where it has, the kernel saw the directory late.
        const latestNs = timestampNs - usedNs / this.#cpusOnline;
        if (createdNs > latestNs) createdNs = latestNs;
      }
      lastCpuNs.set(key, usedNs);
    }
    const startTimeNs = this.#book.startTimeOf({
      subjectKey: zoneName,
      incarnation,
      bootTimeNs: createdNs,
      createdMonotonicNs: null,
      timestampNs,
    });
    if (startTimeNs >= timestampNs) return null;
    const subject = {
      kind: "zone",
      zoneName,
      zoneType: "",
      zoneId: NIL_UUID,
      incarnation: `${zoneName}@${incarnation}`,
      startTimeNs,
    } as const;
    return { source: "cgroup", subject, sled: null, timestampNs, readings: [...cpuTimeReadings(cpu), ...readings] };
  }

  #readCpu(
    zoneName: string,
    places: GroupPlaces,
    unifiedStat: string | NotMeasured,
    key: string,
    incarnation: string,
  ): CpuTimes | NotMeasured {
    if (places.cpuacct !== undefined && this.#cpuacct !== null) {
      return this.#cpuacct.read(key, places.cpuacct, this.#book.isFromEarlierRun(zoneName, incarnation));
    }
    const cpu = places.unified === undefined ? new NotMeasured("the group is not in the cpuacct hierarchy") : unifiedCpu(unifiedStat);
    return cpu instanceof NotMeasured && zoneName === ROOT_NAME && this.#isMachineRoot ? this.#host.cpuTimes() : cpu;
  }

  #readRest(places: GroupPlaces, unifiedStat: string | NotMeasured): Reading[] {
    let controllers: ReadonlySet<string> | null = null;
    const isEnabled: ControllerCheck = (controller) => (controllers ??= controllersOf(places.unified)).has(controller);
    return [
      ...cpuControllerReadings(places, unifiedStat),
      ...memoryReadings(places, isEnabled),
      ...pidsReadings(places, isEnabled),
      ...(places.unified === undefined ? [] : pressureReadings(places.unified, (resource) => `${resource}.pressure`)),
    ];
  }
}

function inOrder(snapshots: Snapshot[]): Snapshot[] {
  return snapshots.sort((a, b) => (a.timestampNs < b.timestampNs ? -1 : a.timestampNs > b.timestampNs ? 1 : 0));
}

/** Read once for the CPU time and for what the controller tells; not read where v1 hierarchies have both. */
function readUnifiedStat(places: GroupPlaces): string | NotMeasured {
  const { unified, cpuacct, cpu } = places;
  return unified === undefined || (cpuacct !== undefined && cpu !== undefined) ? NO_UNIFIED : readKernelFile(unified, "cpu.stat");
}

const NO_UNIFIED = new NotMeasured("the group is not in the unified hierarchy");

function controllersOf(directory: string | undefined): ReadonlySet<string> {
  const text = directory === undefined ? NO_UNIFIED : readKernelFile(directory, "cgroup.controllers");
  return new Set(text instanceof NotMeasured ? [] : text.trim().split(" "));
}
