import { createHash } from 'node:crypto';
import { writeWhole } from '../../files/whole-file.ts';
import type { StepContext } from '../frame/context.ts';

/** What formats begin with, and how a file of each ends: a table is known by its name. */
const endings: readonly { begins: Buffer; ending: string }[] = [
  { begins: Buffer.from('ARROW1'), ending: '.arrow' },
  { begins: Buffer.from('\x93NUMPY', 'latin1'), ending: '.npy' },
];

/** An answer of bytes as a file of the run store, which is named instead: a result is JSON, and stands in histories and reports. */
export async function keptBytes(answer: unknown, { store, step }: Pick<StepContext, 'store' | 'step'>): Promise<unknown> {
  if (!(answer instanceof Uint8Array)) return answer;
  const { ending = '.bin' } = endings.find(({ begins }) => begins.equals(answer.subarray(0, begins.byteLength))) ?? {};
  const file = store.path('answers', `${step}${ending}`);
  await writeWhole(file, answer);
  return { file, bytes: answer.byteLength, sha256: createHash('sha256').update(answer).digest('hex') };
}
