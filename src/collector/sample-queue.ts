import { COLLECTOR_ASK_MIN_SAMPLES, COLLECTOR_INSERT_SAMPLES, type Sample } from "../core/index.ts";

/** Samples of one collection on their way to the store. */
export interface Delivery {
  readonly samples: readonly Sample[];
  /** Names these samples among all that any collector inserts, for the insert's token. */
  readonly name: string;
  /** False where they are lost if they are dropped here; true where the producer keeps them until they are stored. */
  readonly keptByProducer: boolean;
  /** Should not wait for others to fill an insert. */
  readonly urgent: boolean;
  /** Called once for what was not dropped: whether the store has the samples. */
  readonly settled: (stored: boolean) => void;
}

/** Room that is kept for an answer until it is there. */
export interface Reservation {
  readonly samples: number;
  /** Gives the room back. Safe to call twice. */
  release(): void;
}

/**
 * The bounded queue between polling and inserting. Samples that only a stock producer's answer held push out older ones of their kind when it
 * is full; room for those that producers keep is reserved before they are asked for, so of these nothing is ever dropped.
 */
export class SampleQueue {
  readonly capacity: number;
  readonly #onDropped: (samples: number) => void;
  #deliveries: Delivery[] = [];
  #samples = 0;
  #reserved = 0;
  #urgent = false;
  #roomWaiters: (() => void)[] = [];
  #changed: (() => void) | null = null;

  /** `onDropped` is told of every sample that had to go. */
  constructor(capacity: number, onDropped: (samples: number) => void) {
    this.capacity = capacity;
    this.#onDropped = onDropped;
  }

  /** Samples that wait. */
  get samples(): number {
    return this.#samples;
  }

  /** Samples that there is room kept for. */
  get reserved(): number {
    return this.#reserved;
  }

  /** True where something waits that should not. */
  get urgent(): boolean {
    return this.#urgent;
  }

  /** Room for up to `most` samples; null where there is too little to be worth a request. */
  reserve(most: number): Reservation | null {
    const samples = Math.min(most, this.#free);
    if (samples < Math.min(most, COLLECTOR_ASK_MIN_SAMPLES)) return null;
    this.#reserved += samples;
    let held = true;
    return {
      samples,
      release: () => {
        if (!held) return;
        held = false;
        this.#reserved -= samples;
        this.#wakeRoomWaiters();
      },
    };
  }

  /** Calls `back` once, when room has become free. */
  whenRoom(back: () => void): void {
    this.#roomWaiters.push(back);
  }

  /** Adds a delivery in the place of the room that was reserved for it. */
  addKept(delivery: Delivery, reservation: Reservation): void {
    this.#append(delivery);
    reservation.release();
  }

  /** Adds samples that nobody else has, in pieces that fit an insert. The oldest of their kind, these included, go where there is no room. */
  addLoose(delivery: Delivery): void {
    const pieces = Math.ceil(delivery.samples.length / COLLECTOR_INSERT_SAMPLES);
    for (let i = 0; i < pieces; i++) {
      const samples = delivery.samples.slice(i * COLLECTOR_INSERT_SAMPLES, (i + 1) * COLLECTOR_INSERT_SAMPLES);
      this.#append(pieces === 1 ? delivery : { ...delivery, samples, name: `${delivery.name}.${i}` });
    }
    this.#dropLoose(-this.#free);
  }

  /** Takes whole deliveries, oldest first: at least one if there is any, and no more than `most` samples beyond that. */
  take(most: number): Delivery[] {
    let count = 0;
    let samples = 0;
    while (count < this.#deliveries.length && (count === 0 || samples + this.#deliveries[count]!.samples.length <= most)) {
      samples += this.#deliveries[count]!.samples.length;
      count += 1;
    }
    const taken = this.#deliveries.splice(0, count);
    this.#samples -= samples;
    this.#urgent = this.#deliveries.some((delivery) => delivery.urgent);
    if (count > 0) this.#wakeRoomWaiters();
    return taken;
  }

  /** Makes what waits urgent. */
  hurry(): void {
    this.#urgent = this.#samples > 0;
    this.#changed?.();
  }

  /** Resolves at the next change that may matter to whoever takes, or when `signal` fires. */
  change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener("abort", done);
        this.#changed = null;
        resolve();
      };
      if (signal.aborted) return resolve();
      signal.addEventListener("abort", done, { once: true });
      this.#changed = done;
    });
  }

  get #free(): number {
    return this.capacity - this.#samples - this.#reserved;
  }

  #append(delivery: Delivery): void {
    if (delivery.samples.length === 0) return;
    this.#deliveries.push(delivery);
    this.#samples += delivery.samples.length;
    this.#urgent ||= delivery.urgent;
    this.#changed?.();
  }

  #dropLoose(excess: number): void {
    let left = excess;
    for (let i = 0; i < this.#deliveries.length && left > 0;) {
      const delivery = this.#deliveries[i]!;
      if (delivery.keptByProducer) {
        i += 1;
        continue;
      }
      const dropped = Math.min(left, delivery.samples.length);
      left -= dropped;
      this.#samples -= dropped;
      this.#onDropped(dropped);
      // What is left of a delivery is another one: its name must not stand for samples that it no longer has.
      if (dropped < delivery.samples.length)
        this.#deliveries[i] = { ...delivery, samples: delivery.samples.slice(dropped), name: `${delivery.name}-${dropped}` };
      else this.#deliveries.splice(i, 1);
    }
  }

  #wakeRoomWaiters(): void {
    if (this.#free < COLLECTOR_ASK_MIN_SAMPLES) return;
    const waiters = this.#roomWaiters;
    this.#roomWaiters = [];
    for (const back of waiters) back();
  }
}
