import { invalid } from '../../core/errors.ts';
import { countParts, placeOf } from './plan.ts';
import type { PartRow, UploadRow } from './records.ts';

export type SentEtag = { part_number: string | number; etag: string };

const plain = (etag: string): string => etag.trim().replaceAll(/^"|"$/g, '').toLowerCase();

/** Holds the ETags of a completion against the parts: each part of the plan once, whole, and the one that is kept. 422 otherwise. */
export const checkEtags = (upload: UploadRow, parts: readonly PartRow[], sent: readonly SentEtag[]): void => {
  const refuse = (rule: string) => invalid('part_etags', rule);
  const kept = new Map(parts.map((part) => [part.part_number, part]));
  const count = countParts(upload);
  const named = new Set<number>();
  for (const { part_number, etag } of sent) {
    const number = Number(part_number);
    if (!Number.isInteger(number) || number < 1 || number > count)
      throw refuse(`there is no part ${JSON.stringify(part_number)}: the upload has parts 1 to ${count}`);
    if (named.has(number)) throw refuse(`part ${number} is named twice`);
    named.add(number);
    const part = kept.get(number);
    if (!part) throw refuse(`part ${number} was never received; send it to its URL first`);
    const { length } = placeOf(upload, number);
    if (part.size !== length) throw refuse(`part ${number} holds ${part.size} of its ${length} bytes; send it whole`);
    if (plain(etag) !== part.md5) throw refuse(`part ${number}: ETag ${etag} is not that of the part as kept, "${part.md5}"`);
  }
  for (let number = 1; number <= count; number += 1) if (!named.has(number)) throw refuse(`part ${number} of ${count} is missing`);
};
