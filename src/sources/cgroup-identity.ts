import { statSync } from "node:fs";
import type { IdentityBook } from "./identity.ts";
import type { GroupPlaces } from "./cgroup-tree.ts";

/** The group's directory, as far as it tells one incarnation from another. */
export interface GroupSight {
  readonly inode: bigint;
  /** When the kernel first saw the directory: its creation, or later where the kernel had dropped it from its cache. */
  readonly createdNs: bigint;
}

/** The directory whose counters make the incarnation: that of CPU time, else any. */
export function identityDirectory(places: GroupPlaces): string {
  return (places.cpuacct ?? places.unified ?? places.cpu ?? places.memory ?? places.pids)!;
}

/** Null where the group is gone. */
export function lookAtGroup(directory: string): GroupSight | null {
  const stat = statSync(directory, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return null;
  // cgroup file systems have no birth time (0) and set the others when the inode is made or changed.
  let createdNs = stat.ctimeNs < stat.mtimeNs ? stat.ctimeNs : stat.mtimeNs;
  if (stat.birthtimeNs > 0n && stat.birthtimeNs < createdNs) createdNs = stat.birthtimeNs;
  return { inode: stat.ino, createdNs };
}

/**
 * Names incarnations `BOOT/INODE/N` under the zone's name, which is the path. The inode number of a directory does not change and is not given
 * again on kernels since 4.14; on older ones, and where somebody resets a counter, CPU time that falls shows that the counters began again, and N
 * goes up. N is remembered in the identity book.
 */
export class GroupIncarnations {
  readonly #bootId: string;
  readonly #book: IdentityBook;

  constructor(bootId: string, book: IdentityBook) {
    this.#bootId = bootId;
    this.#book = book;
  }

  name(path: string, inode: bigint): string {
    const prefix = `${this.#bootId}/${inode}/`;
    const known = this.#book.current(path)?.incarnation;
    return known?.startsWith(prefix) === true ? known : `${prefix}0`;
  }

  /** The name of the next incarnation on the same directory. */
  after(incarnation: string): string {
    const cut = incarnation.lastIndexOf("/") + 1;
    return incarnation.slice(0, cut) + (Number(incarnation.slice(cut)) + 1);
  }
}
