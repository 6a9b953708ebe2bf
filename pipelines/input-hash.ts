import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonical } from '../text/canonical-json.ts';
import { isKept, isLarge } from './kept.ts';
import type { Plan, PlanStep, SourceFingerprint } from './plan.ts';
import type { Json } from '../text/json.ts';

/** What the hash is made of, beside the input: a plan's step. */
export type HashedStep = Pick<PlanStep, 'id' | 'use' | 'version' | 'connections' | 'tolerate'>;

/**
 * Hash of all that a step's result depends on: its type, the version of its code, its evaluated input, the bytes of the
 * sources that it names (not their paths: a file may move) and its connections. Pure, also in the workflow sandbox.
 * An input that stands in the run store counts by the hash of its bytes, wherever they lie. What is hashed and how stands
 * in histories: it never changes.
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
  const value = isKept(input) ? { kept: input.sha256 } : isLarge(input) ? { kept: hashOf(canonical(input)) } : input;
  return hashOf(
    canonical({
      use: step.use,
      version: step.version ?? 1,
      connections: step.connections,
      tolerate: (step.tolerate ?? {}) as Json,
      input: typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, ...bytes } : value,
    }),
  );
}

const hashOf = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));
