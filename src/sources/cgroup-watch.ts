import { statSync, watch, type FSWatcher } from "node:fs";
import { CGROUP_MAX_WATCHES, messageOf } from "../core/index.ts";
import { NotMeasured, numberAfter, readKernelFile } from "./cgroup-file.ts";
import { subgroups } from "./cgroup-tree.ts";

const EVENTS = "cgroup.events";

/**
 * Tells at once when the last process of a group ends, so that the group can be read a last time before whoever made it takes it away. The kernel
 * says so on the v2 hierarchy alone, by a change of `cgroup.events`, which a watch on the group's directory sees; that watch also sees groups being
 * made below, so that those which live for less than an interval are watched too.
 */
export class GroupWatch {
  readonly #root: string;
  readonly #most: number;
  readonly #emptied: (path: string) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  /** Groups with a group below them. */
  #inner = new Set<string>();
  #failure: string | null = null;

  /** `root` is the top of the hierarchy. `emptied` is called with the path of a group that has nothing below it and no process in it any more. */
  constructor(root: string, emptied: (path: string) => void, most = CGROUP_MAX_WATCHES) {
    this.#root = root;
    this.#most = most;
    this.#emptied = emptied;
  }

  /** Why groups made since cannot be watched, or null. */
  get failure(): string | null {
    return this.#failure;
  }

  /** Watches these groups and no others. */
  follow(paths: ReadonlySet<string>): void {
    this.#failure = null;
    for (const [path, watcher] of this.#watchers) {
      if (path === "" || paths.has(path)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
    this.#inner = new Set([...paths].map(parentOf));
    this.#watch("");
    for (const path of paths) this.#watch(path);
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #watch(path: string): void {
    // The kernel tells only of files that it has an inode of, and looking at one makes it.
    if (statSync(`${this.#root}${path}/${EVENTS}`, { throwIfNoEntry: false }) === undefined && path !== "") return;
    if (this.#watchers.has(path) || this.#failure !== null) return;
    if (this.#watchers.size >= this.#most) {
      this.#failure = `there are more than ${this.#most} groups`;
      return;
    }
    try {
      const watcher = watch(this.#root + path, { persistent: false }, (type, name) => {
        if (this.#watchers.get(path) !== watcher || name === null) return;
        if (type === "rename") this.#cameOrWent(path, `${path}/${name}`);
        else if (name === EVENTS) this.#look(path);
      });
      watcher.on("error", () => watcher.close());
      this.#watchers.set(path, watcher);
    } catch (error) {
      // A group that has gone meanwhile is none that cannot be watched.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") this.#failure = messageOf(error);
    }
  }

  #cameOrWent(path: string, child: string): void {
    // A watch dies with its directory, also where another one has its name now.
    this.#watchers.get(child)?.close();
    this.#watchers.delete(child);
    if (statSync(this.#root + child, { throwIfNoEntry: false })?.isDirectory() === true) this.#cameBelow(path, child);
  }

  #cameBelow(path: string, child: string): void {
    this.#inner.add(path);
    this.#watch(child);
    if (!this.#watchers.has(child)) return;
    // What is below it, and processes in it, may have come before the watch was there, and gone.
    for (const name of subgroups(this.#root + child))
      if (!this.#watchers.has(`${child}/${name}`)) this.#cameBelow(child, `${child}/${name}`);
    this.#look(child);
  }

  #look(path: string): void {
    if (path === "" || this.#inner.has(path)) return;
    const events = readKernelFile(this.#root + path, EVENTS);
    if (!(events instanceof NotMeasured) && numberAfter(events, "populated") === 0n) this.#emptied(path);
  }
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
