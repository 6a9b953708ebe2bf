import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonical } from '../text/canonical-json.ts';
import type { Json, Plan, PlanStep, SourceFingerprint } from './plan.ts';

/** What the hash is made of, beside the input: a plan's step. */
export type HashedStep = Pick<PlanStep, 'id' | 'use' | 'version' | 'connections' | 'tolerate'>;

/**
 * Hash of all that a step's result depends on: its type, the version of its code, its evaluated input, the bytes of the
 * sources that it names (not their paths: a file may move) and its connections. Pure, also in the workflow sandbox.
 * What is hashed and how stands in histories: it never changes.
 */
export function inputHash(
  step: HashedStep,
  input: Json,
  sources: Plan['sources'],
  fingerprints: { readonly [source: string]: Pick<SourceFingerprint, 'sha256'> },
): string {
  const bytes = Object.fromEntries(
    sources.flatMap(({ step: id, field, path }) => {
      const print = id === step.id ? fingerprints[path] : undefined;
      return print ? [[field, { sha256: print.sha256 }] as const] : [];
    }),
  );
  return bytesToHex(
    sha256(
      utf8ToBytes(
        canonical({
          use: step.use,
          version: step.version ?? 1,
          connections: step.connections,
          tolerate: (step.tolerate ?? {}) as Json,
          input: typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input, ...bytes } : input,
        }),
      ),
    ),
  );
}
