import { ZonemeterError } from "../core/index.ts";

/**
 * Runs `work` with a signal that fires after `ms`, or when `parent` does. Rejects with ZonemeterError `unavailable`, kind `deadline`, naming `what` when the
 * time is up, even if `work` ignores its signal.
 */
export async function withDeadline<T>(
  ms: number,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
  parent?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  const onParent = (): void => controller.abort(parent?.reason);
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason as Error), { once: true });
    const late = (): ZonemeterError => new ZonemeterError("unavailable", `${what} did not finish within ${ms} ms.`, { kind: "deadline" });
    timer = setTimeout(() => controller.abort(late()), ms);
    if (parent?.aborted === true) onParent();
    else parent?.addEventListener("abort", onParent, { once: true });
  });
  try {
    return await Promise.race([work(controller.signal), expired]);
  } finally {
    clearTimeout(timer);
    parent?.removeEventListener("abort", onParent);
    expired.catch(() => undefined);
  }
}

/** What Node's timers take; a longer wait would end at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Resolves after `ms`, or at once when `signal` fires. The timer does not keep the process alive. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      timer = setTimeout(() => (leftMs > TIMER_MAX_MS ? wait(leftMs - TIMER_MAX_MS) : done()), Math.min(leftMs, TIMER_MAX_MS));
      timer.unref();
    };
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    wait(ms);
    signal?.addEventListener("abort", done, { once: true });
  });
}
