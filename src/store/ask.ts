import { randomUUID } from "node:crypto";
import type { Engine } from "./engine.ts";

/** Runs one of the store's own questions, which nothing cancels; the engine's deadline still holds. */
export async function ask(engine: Engine, text: string): Promise<Uint8Array> {
  const result = await engine.query({ id: randomUUID(), text, signal: new AbortController().signal });
  return result.bytes;
}
