import { randomBytes } from 'node:crypto';
import { now } from './clock.ts';

let latest = 0n;

/**
 * A UUID of version 7: milliseconds, then twelve bits of their fraction, then chance. Of one process each is greater than the one
 * before, also within a millisecond, so that lists can be ordered by ids alone.
 */
export const newId = (): string => {
  // 60 bits of 1/4096 ms.
  const at = BigInt(Math.floor(now() * 4_096));
  latest = at > latest ? at : latest + 1n;
  const stamp = latest.toString(16).padStart(15, '0');
  const chance = randomBytes(8);
  chance[0] = (chance[0]! & 0x3f) | 0x80;
  const rest = chance.toString('hex');
  return `${stamp.slice(0, 8)}-${stamp.slice(8, 12)}-7${stamp.slice(12)}-${rest.slice(0, 4)}-${rest.slice(4)}`;
};
