import { afterEach, describe, expect, it } from "vitest";
import { nexusProducers } from "../../src/generated/index.ts";
import type { NexusOptions } from "../../src/nexus/index.ts";
import { addCollector, endpoint, list, post, startTestNexus, uuid, type TestNexus } from "../support/nexus.ts";

const A = uuid(0xa);
const B = uuid(0xb);

const running: TestNexus[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
});
async function start(options: Partial<NexusOptions> = {}): Promise<TestNexus> {
  const started = await startTestNexus(options);
  running.push(started);
  return started;
}
const ids = (page: nexusProducers.ProducerEndpointResultsPage): string[] => page.items.map((item) => item.id);

describe("registration", () => {
  it("is refused while no collector has registered", async () => {
    const nexus = await start();
    expect(await post(nexus, endpoint(1))).toEqual({ ok: false, status: 503, message: "Service Unavailable" });
    await addCollector(nexus, A);
    expect((await post(nexus, endpoint(1))).status).toBe(201);
  });

  it("grants a lease of ten minutes, or what was configured", async () => {
    const nexus = await start();
    await addCollector(nexus, A);
    expect(await post(nexus, endpoint(1))).toEqual({ ok: true, status: 201, data: { lease_duration: { secs: 600n, nanos: 0 } } });
    const short = await start({ leaseMs: 1_500 });
    await addCollector(short, A);
    expect(await post(short, endpoint(1))).toMatchObject({ data: { lease_duration: { secs: 1n, nanos: 500_000_000 } } });
  });

  it("lists what was registered, with every digit, and only to the collector it was given to", async () => {
    const nexus = await start();
    await addCollector(nexus, A);
    const long = endpoint(1, {
      kind: "sled_agent",
      address: "[fd00:1122:3344:101::20]:40123",
      interval: { secs: 18446744073709551615n, nanos: 999_999_999 },
    });
    await post(nexus, long);
    expect(await list(nexus, A)).toEqual({ items: [long], next_page: null });
    expect(await list(nexus, B)).toEqual({ items: [], next_page: null });
  });

  it.each([
    [{ secs: 1n, nanos: 1_000_000_000 }, "interval.nanos: 1000000000 is not from 0 to 999999999"],
    [{ secs: 1n, nanos: 4_294_967_296 }, "interval.nanos: 4294967296 is not from 0 to 999999999"],
    [{ secs: 1n, nanos: -1 }, "interval.nanos: -1 is not from 0 to 999999999"],
    [{ secs: 1n, nanos: 0.5 }, "interval.nanos: 0.5 must be integer"],
    [{ secs: -1n, nanos: 0 }, "interval.secs: -1 is not a whole number from 0 to 18446744073709551615"],
    [{ secs: 1n << 64n, nanos: 0 }, "interval.secs: 18446744073709551616 is not a whole number from 0 to 18446744073709551615"],
  ])("refuses the interval %o", async (interval, message) => {
    const nexus = await start();
    await addCollector(nexus, A);
    expect(await post(nexus, endpoint(1, { interval }))).toEqual({
      ok: false,
      status: 400,
      message: `unable to parse JSON body: ${message}`,
    });
    expect((await list(nexus, A)).items).toEqual([]);
  });

  it.each([
    [
      "no interval",
      { interval: { secs: 0n, nanos: 0 } },
      "interval 0 s leaves no time between collections: give a longer one, such as 10 s.",
    ],
    [
      "a host name",
      { address: "localhost:80" },
      'unable to parse JSON body: address: "localhost:80" is not IP:PORT, such as 127.0.0.1:80 or [::1]:80',
    ],
    [
      "an address without brackets",
      { address: "fd00::1:80" },
      'unable to parse JSON body: address: "fd00::1:80" is not IP:PORT, such as 127.0.0.1:80 or [::1]:80',
    ],
    [
      "a port that is none",
      { address: "127.0.0.1:65536" },
      'unable to parse JSON body: address: "127.0.0.1:65536" is not IP:PORT, such as 127.0.0.1:80 or [::1]:80',
    ],
    [
      "port 0",
      { address: "127.0.0.1:0" },
      "address 127.0.0.1:0 has port 0, where nothing can be reached: give the port that was really bound.",
    ],
  ])("is refused with %s", async (_name, changes, message) => {
    const nexus = await start();
    await addCollector(nexus, A);
    expect(await post(nexus, endpoint(1, changes))).toEqual({ ok: false, status: 400, message });
    expect((await list(nexus, A)).items).toEqual([]);
  });

  it("again takes over every detail and keeps the collector", async () => {
    const draws = [0.99, 0, 0.99, 0, 0];
    const nexus = await start({ random: () => draws.shift()! });
    await addCollector(nexus, A);
    await addCollector(nexus, B);
    await post(nexus, endpoint(1));
    await post(nexus, endpoint(2));
    expect([ids(await list(nexus, A)), ids(await list(nexus, B))]).toEqual([[uuid(2)], [uuid(1)]]);
    const moved = endpoint(1, { kind: "instance", address: "[::1]:7", interval: { secs: 0n, nanos: 1 } });
    await post(nexus, moved);
    expect((await list(nexus, B)).items).toEqual([moved]);
    expect(draws).toHaveLength(3);
  });

  it("ignores keys it does not know", async () => {
    const nexus = await start();
    await addCollector(nexus, A);
    const more = { ...endpoint(1), base_route: "/collect" } as nexusProducers.ProducerEndpoint;
    expect((await post(nexus, more)).status).toBe(201);
    expect((await list(nexus, A)).items).toEqual([endpoint(1)]);
  });
});

describe("collectors", () => {
  it("register, and again to move", async () => {
    const nexus = await start();
    const answer = await nexusProducers.cpapiCollectorsPost({ client: nexus.client, body: { collector_id: A, address: "127.0.0.1:1" } });
    expect(answer).toEqual({ ok: true, status: 204, data: undefined });
    await post(nexus, endpoint(1));
    await addCollector(nexus, A, "127.0.0.1:2");
    expect(ids(await list(nexus, A))).toEqual([uuid(1)]);
    const wrong = await nexusProducers.cpapiCollectorsPost({ client: nexus.client, body: { collector_id: A, address: "nowhere" } });
    expect(wrong).toMatchObject({ ok: false, status: 400 });
  });
});

describe("the listing", () => {
  it("comes in pages of 100, ascending by id, and survives a change between its pages", async () => {
    const nexus = await start();
    await addCollector(nexus, A);
    const numbers = Array.from({ length: 130 }, (_item, index) => (index * 77) % 131);
    for (const number of numbers) await post(nexus, endpoint(number));
    const first = await list(nexus, A);
    expect(first.items).toHaveLength(100);
    await post(nexus, endpoint(500));
    const second = await list(nexus, A, { page_token: first.next_page ?? null });
    expect(second.next_page).toBeNull();
    const all = [...ids(first), ...ids(second)];
    expect(all).toEqual([...numbers, 500].map(uuid).toSorted());
    expect((await list(nexus, A, { limit: 100_000 })).items).toHaveLength(131);
    expect((await list(nexus, A, { limit: 7 })).items).toHaveLength(7);
  });

  it("refuses a token that it did not give", async () => {
    const nexus = await start();
    await expect(list(nexus, A, { page_token: "abc" })).rejects.toThrow("unable to parse query string: failed to parse pagination token");
  });
});
