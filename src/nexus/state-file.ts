import { mkdir, open, readFile, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { messageOf, NEXUS_STATE_MAX_BYTES, ZonemeterError } from "../core/index.ts";
import type { RegistryState } from "./registry.ts";

const FILE_VERSION = 1;

const uuid = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

const stateFileSchema = z.strictObject({
  version: z.literal(FILE_VERSION),
  collectors: z.array(z.strictObject({ collector_id: uuid, address: z.string() })),
  producers: z.array(
    z.strictObject({
      id: uuid,
      kind: z.enum(["sled_agent", "service", "instance", "management_gateway"]),
      address: z.string(),
      /** Seconds as text: they are 64-bit. */
      interval: z.strictObject({ secs: z.string().regex(/^\d{1,20}$/), nanos: z.int().min(0).max(999_999_999) }),
      collector_id: uuid,
    }),
  ),
});

/**
 * Reads the state kept in `path`; null where there is none. A file that cannot be understood is renamed aside and told in one sentence through
 * `warn`; the registry then starts empty and fills itself within a quarter of a lease. Throws `unavailable` where the file cannot be read at all.
 */
export async function readState(path: string, warn: (message: string) => void): Promise<RegistryState | null> {
  let text: string | null;
  try {
    text = (await stat(path)).size > NEXUS_STATE_MAX_BYTES ? null : await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new ZonemeterError("unavailable", `The Nexus state file "${path}" cannot be read: ${messageOf(error)}.`, { cause: error });
  }
  try {
    if (text === null) throw new Error(`it has more than ${NEXUS_STATE_MAX_BYTES} bytes`);
    const { collectors, producers } = stateFileSchema.parse(JSON.parse(text));
    return {
      collectors,
      assignments: producers.map(({ collector_id: collectorId, ...endpoint }) => ({
        endpoint: { ...endpoint, interval: { secs: BigInt(endpoint.interval.secs), nanos: endpoint.interval.nanos } },
        collectorId,
      })),
    };
  } catch (error) {
    const reason = error instanceof z.ZodError ? (error.issues[0]?.message ?? "it is not as expected") : messageOf(error);
    const aside = `${path}.damaged-${Date.now()}`;
    await rename(path, aside).catch((fault: unknown) => {
      throw new ZonemeterError(
        "unavailable",
        `The Nexus state file "${path}" is damaged (${reason}) and cannot be moved aside: ${messageOf(fault)}.`,
        { cause: fault },
      );
    });
    warn(
      `The Nexus state file "${path}" is damaged (${reason}); it was kept as "${aside}", and Nexus starts without producers until they register again.`,
    );
    return null;
  }
}

/** Puts `state` in place of what `path` holds: after a crash the file is the old one or the new one, never a part. */
export async function writeState(path: string, state: RegistryState): Promise<void> {
  const producers = state.assignments.map(({ endpoint, collectorId }) => ({
    id: endpoint.id,
    kind: endpoint.kind,
    address: endpoint.address,
    interval: { secs: endpoint.interval.secs.toString(), nanos: endpoint.interval.nanos },
    collector_id: collectorId,
  }));
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.new`;
  const file = await open(temporary, "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify({ version: FILE_VERSION, collectors: state.collectors, producers })}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  const directory = await open(dirname(path), "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
