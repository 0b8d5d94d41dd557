/** Calls `look` until it gives something other than undefined; rejects with `what` when `deadlineMs` has passed. */
export async function until<T>(what: string, deadlineMs: number, look: () => Promise<T | undefined>): Promise<T> {
  const endMs = performance.now() + deadlineMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > endMs) throw new Error(`${what} did not happen within ${deadlineMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
