import { existsSync, readdirSync, statSync } from "node:fs";
import { CGROUP_MAX_GROUPS } from "../core/index.ts";
import type { CgroupLayout, Hierarchy } from "./cgroup-layout.ts";
import type { TimeSlice } from "../runtime/index.ts";

/** Directory of one group in each hierarchy that has it. */
export type GroupPlaces = Partial<Record<Hierarchy, string>>;

/** Whether a controller of the unified hierarchy is enabled for a group; asked only where its files are not there. */
export type ControllerCheck = (controller: string) => boolean;

export interface CgroupTree {
  /** Reported groups by path (`/system.slice/foo.service`), each at the end of its branch. */
  readonly leaves: ReadonlyMap<string, GroupPlaces>;
  /** Paths of all groups of the unified hierarchy. */
  readonly unified: ReadonlySet<string>;
  /** Groups were left out because there are more than CGROUP_MAX_GROUPS. */
  readonly cut: boolean;
}

/**
 * Joins the hierarchies by path. A group that has a group below it in any hierarchy is not reported, since its numbers hold those of what is below:
 * so sums count nothing twice. Empty groups are reported: their counters hold what ended in them since the last sample.
 */
export async function readCgroupTree(layout: CgroupLayout, slice: TimeSlice): Promise<CgroupTree> {
  const places = new Map<string, GroupPlaces>();
  const parents = new Set<string>();
  const unified = new Set<string>();
  let cut = false;
  const visited = new Map<string, Hierarchy>();
  for (const [name, root] of Object.entries(layout)) {
    const hierarchy = name as Hierarchy;
    const twin = visited.get(root);
    visited.set(root, hierarchy);
    if (twin !== undefined) {
      // Co-mounted: the same directories under another name.
      for (const place of places.values()) if (place[twin] !== undefined) place[hierarchy] = place[twin];
      continue;
    }
    const open = [""];
    let countsSubgroups = false;
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (slice.spent()) await slice.rest();
      const listed = subgroups(root + path, countsSubgroups);
      if (path === "") countsSubgroups = listed.length > 0 && linksOf(root) === listed.length + LINKS_OF_A_LEAF;
      for (const child of listed) {
        const childPath = `${path}/${child}`;
        let place = places.get(childPath);
        if (place === undefined) {
          if (places.size >= CGROUP_MAX_GROUPS) {
            cut = true;
            break;
          }
          place = {};
          places.set(childPath, place);
        }
        place[hierarchy] = root + childPath;
        if (hierarchy === "unified") unified.add(childPath);
        parents.add(path);
        open.push(childPath);
      }
    }
  }
  for (const path of parents) places.delete(path);
  return { leaves: places, unified, cut };
}

/** Where one group is now; null where it has groups below it, or is nowhere. */
export function findLeaf(layout: CgroupLayout, path: string): GroupPlaces | null {
  const places: GroupPlaces = {};
  for (const [hierarchy, root] of Object.entries(layout)) {
    const directory = root + path;
    if (!existsSync(directory)) continue;
    if (subgroups(directory).length > 0) return null;
    places[hierarchy as Hierarchy] = directory;
  }
  return Object.keys(places).length === 0 ? null : places;
}

/** Links to a directory that has no directory in it: of those that count them at all, as the kernel's cgroup file systems do. */
const LINKS_OF_A_LEAF = 2;

function linksOf(directory: string): number {
  return statSync(directory, { throwIfNoEntry: false })?.nlink ?? 0;
}

/**
 * A group that vanished, or may not be listed, has none. `countsSubgroups`: the links to a directory tell whether there is any, for a quarter of the
 * cost of listing all its files.
 */
export function subgroups(directory: string, countsSubgroups = false): string[] {
  try {
    if (countsSubgroups && linksOf(directory) === LINKS_OF_A_LEAF) return [];
    const names: string[] = [];
    for (const entry of readdirSync(directory, { withFileTypes: true })) if (entry.isDirectory()) names.push(entry.name);
    return names;
  } catch {
    return [];
  }
}
