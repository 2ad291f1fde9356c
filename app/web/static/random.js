// Numbers from 0 to 1, the same for the same seed, after so many of them. Source: T. Ettinger's mulberry32, in the
// public domain.
export function generator(seed, used = 0) {
  let state = ((seed >>> 0) + Math.imul(used, 0x6d2b79f5)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function drawn(shares, random) {
  let left = random() * shares.reduce((sum, share) => sum + share, 0);
  const found = shares.findIndex((share) => (left -= share) < 0);
  return found < 0 ? shares.findLastIndex((share) => share > 0) : found;
}
