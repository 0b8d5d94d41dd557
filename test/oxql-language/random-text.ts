/** A small generator of its own, so that a seed gives the same texts on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A whole number from 0 up to but not including `limit`. Mulberry32. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }
}

const PIECES = [
  ..."{}[]()|;,:=!<>~&^@'\"\\ \t\n\r0x.-+*/_aeZ\0\u00a0\ud800é",
  ..."get,filter,align,group_by,join,first,last,map,top,bottom,on,by,in,ago(,mean_within(,rate(,interpolate(,sum,max,true,false,@now(),@2031-05-07T10:00:00,timestamp,start_time,datum,name,ferry:crew,engine:turns,cylinder".split(
    ",",
  ),
  ..."==,!=,<=,~=,&&,||,1m,90s,0x1f,4.5,1e9,99999999999999999999,'x','(a+)+',\"10.0.0.1\",\"0123456789abcdef0123456789abcdef\",\\u{41},\u{1f600}".split(
    ",",
  ),
];

/** Characters and words of the language in any order; a few texts are long, or one piece over and over. */
export function randomText(random: Random): string {
  const kind = random.below(100);
  if (kind === 0) return random.of(PIECES).repeat(random.below(3_000));
  const count = kind < 3 ? random.below(1_500) : random.below(20);
  const glue = random.of(["", " "]);
  return Array.from({ length: count }, () => random.of(PIECES)).join(glue);
}

const QUERIES = [
  "get ferry:crew | filter name == 'x' && timestamp > @now() - 1h | align mean_within(1m) | group_by [name], sum | last 3",
  "{ get engine:turns; get engine:fuel } | filter cylinder == 1 || name ~= '^A.*[0-9]+$' | align rate(30s) | join | map turns / (fuel + 1) - ago(turns, 1m)",
  'get ferry:draught | filter !(deck in [1, 2, 0x3] ^ loaded == true) && radio != "fd00::1" && berth == "0123456789abcdef0123456789abcdef" | first 5',
  "{ { get engine:turns | last 9 | align rate(1m) } ; get ferry:crew | last 9 | align mean_within(1m) } | join on [name] | filter ferry:crew > 2.5 | top 3 by p90",
  "get ferry:crew | filter datum >= -5 && (datum < 99999999999999999999 || timestamp <= @2031-05-07T01:02:03.5) | bottom 2",
  'get engine:knocks | filter start_time > @now(5m) + 2h && name != "a\\u{42}\\n" | last 1',
];

/** A query with a few characters or pieces changed, left out, put in or swapped. */
export function mutated(random: Random): string {
  let text = random.of(QUERIES);
  for (let changes = random.below(4); changes >= 0; changes--) {
    const at = random.below(text.length + 1);
    const length = random.below(6);
    const piece = random.of([
      () => "",
      () => random.of(PIECES),
      () => String.fromCharCode(random.below(0x3000)),
      () => cut(random.of(QUERIES), random),
    ])();
    text = text.slice(0, at) + piece + text.slice(at + length);
  }
  return text;
}

function cut(text: string, random: Random): string {
  const at = random.below(text.length);
  return text.slice(at, at + random.below(30));
}
