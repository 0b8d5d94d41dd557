/** For the help of what runs until it is asked to end. */
export const END_HELP = `
SIGTERM (exit code 0) and Ctrl-C (130) end it in order, within 5 s; a second signal ends it at once.`;

/** Settles when the process has been asked to end. Keeps it alive until then. */
export function waitForEnd(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    // Listening sockets keep a process alive, but not every part has one.
    const alive = setInterval(() => undefined, 60_000);
    const done = (): void => {
      clearInterval(alive);
      resolve();
    };
    signal.addEventListener("abort", done, { once: true });
  });
}
