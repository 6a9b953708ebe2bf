import { parentPort } from 'node:worker_threads';
import { computations } from './computations.ts';
import type { Computation } from './computations.ts';

/** One computation that is asked for. */
export type Asked = { name: Computation; given: readonly unknown[] };

const port = parentPort!;

/** What a value holds in memory of its own, which is moved and not copied. */
const buffers = (value: unknown): ArrayBuffer[] =>
  ArrayBuffer.isView(value)
    ? [value.buffer as ArrayBuffer]
    : value !== null && typeof value === 'object' && !Array.isArray(value)
      ? Object.values(value).flatMap(buffers)
      : [];

port.on('message', ({ name, given }: Asked) => {
  const compute = computations[name] as (...values: readonly unknown[]) => unknown;
  const result = compute(...given);
  port.postMessage({ result }, [...new Set(buffers(result))]);
});
