import { TEXT_NAMES_MAX } from "../core/index.ts";
import type { RecordedSubject } from "./recorded-rows.ts";
import type { SledIdentity, SledSubject, SourceName, ZoneSubject } from "./source.ts";
import { splitZoneName } from "./zone-name.ts";

/** One object for each subject, over all files, so that whoever takes the rows knows it again by that. */
export class RecordedSubjects {
  #bySled = new Map<string, Map<string, RecordedSubject>>();
  #count = 0;
  #sled: SledIdentity | null = null;
  #ofSled = new Map<string, RecordedSubject>();

  /** A zone that zonestat tells of: its name is all that is known. */
  zoneOfName(sled: SledIdentity, zoneName: string): RecordedSubject {
    const known = this.#of(sled).get(zoneName);
    if (known !== undefined) return known;
    const zone = { kind: "zone", zoneName, ...splitZoneName(zoneName), incarnation: zoneName, startTimeNs: 0n } as const;
    return this.#add(sled, zoneName, { source: "zonestat", sled, of: zone });
  }

  subject(sled: SledIdentity, source: SourceName, of: ZoneSubject | SledSubject): RecordedSubject {
    // No zone's name has a blank in it.
    const key = `${source} ${of.startTimeNs} ${of.kind === "zone" ? of.incarnation : ""}`;
    return this.#of(sled).get(key) ?? this.#add(sled, key, { source, sled, of });
  }

  #of(sled: SledIdentity): Map<string, RecordedSubject> {
    if (sled === this.#sled) return this.#ofSled;
    const key = JSON.stringify(sled);
    const known = this.#bySled.get(key) ?? new Map<string, RecordedSubject>();
    this.#bySled.set(key, known);
    [this.#sled, this.#ofSled] = [sled, known];
    return known;
  }

  #add(sled: SledIdentity, key: string, subject: RecordedSubject): RecordedSubject {
    if (this.#count >= TEXT_NAMES_MAX) [this.#bySled, this.#count, this.#sled] = [new Map(), 0, null];
    this.#of(sled).set(key, subject);
    this.#count += 1;
    return subject;
  }
}
