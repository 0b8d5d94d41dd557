/** For the help of what runs until it is asked to end. */
export const END_HELP = `
SIGTERM and Ctrl-C end it in order, within 5 s; the exit code is then 0 and 130. A second signal ends it at once.`;

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
