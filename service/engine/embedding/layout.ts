import { createHash } from 'node:crypto';

/** Numbers a text on the wire (every public client expects 768). */
export const DIMENSIONS = 768;

export const tasks = ['search_document', 'search_query', 'classification', 'clustering'] as const;
export type Task = (typeof tasks)[number];

/** A vector is [one number per task | content]: content never reaches into the task's part. */
export const CONTENT = DIMENSIONS - tasks.length;

/**
 * Squared length of the content's part. Below 0.9, so that the same text under another task has a dot product
 * under 0.9 (clients check it); between two fixed tasks the product is this share of the content's, so ranks stay.
 */
const CONTENT_SHARE = 0.88;

type Mix = { from: Uint16Array; sign: Int8Array };

/** Words of a hash stream: SHA-256 in counter mode, so that a model's mix is the same on every machine. */
const hashWords = (seed: string, count: number): Uint32Array => {
  const words = new Uint32Array(Math.ceil(count / 8) * 8);
  for (let block = 0; block * 8 < count; block++) {
    const digest = createHash('sha256').update(`${seed}/${block}`).digest();
    for (let i = 0; i < 8; i++) words[block * 8 + i] = digest.readUInt32LE(i * 4);
  }
  return words;
};

const createMix = (model: string): Mix => {
  const words = hashWords(model, CONTENT * 2);
  const from = Uint16Array.from({ length: CONTENT }, (_, i) => i);
  for (let i = CONTENT - 1; i > 0; i--) {
    const j = words[i]! % (i + 1);
    [from[i], from[j]] = [from[j]!, from[i]!];
  }
  return { from, sign: Int8Array.from({ length: CONTENT }, (_, i) => ((words[CONTENT + i]! & 1) === 0 ? 1 : -1)) };
};

const mixes = new Map<string, Mix>();
const mixOf = (model: string): Mix => {
  const known = mixes.get(model);
  if (known) return known;
  if (mixes.size >= 64) mixes.clear();
  const mix = createMix(model);
  mixes.set(model, mix);
  return mix;
};

/**
 * Writes the unit vector of one content (`CONTENT` numbers, any length) into `into` at `offset`. The model permutes and
 * signs the content: within a model every dot product is kept, between two models it is close to 0.
 */
export const writeVector = (content: Float32Array, task: Task, model: string, into: Float32Array, offset: number): void => {
  let squares = 0;
  for (let i = 0; i < CONTENT; i++) squares += content[i]! * content[i]!;
  const empty = squares < 1e-12;
  into[offset + tasks.indexOf(task)] = empty ? 1 : Math.sqrt(1 - CONTENT_SHARE);
  if (empty) return;
  const { from, sign } = mixOf(model);
  const scale = Math.sqrt(CONTENT_SHARE / squares);
  for (let i = 0; i < CONTENT; i++) into[offset + tasks.length + i] = content[from[i]!]! * sign[i]! * scale;
};
