/**
 * Calls `work` on each SIGHUP until the returned function is called. Meanwhile the signal no longer ends the process, so only what has
 * something to read again asks for it.
 */
export function onHangup(work: () => void): () => void {
  process.on("SIGHUP", work);
  return () => void process.off("SIGHUP", work);
}
