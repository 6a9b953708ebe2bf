import type { FindingCode } from './finding-codes.ts';
import { nowhere, parse, type Parsed } from './parse.ts';

/** A value that a module exports: the same limits, no places. */
export function fromModule(value: unknown): Parsed {
  const finding = (code: FindingCode, message: string): Parsed => ({
    value: undefined,
    findings: [{ code, message, path: '', line: 1, column: 1 }],
    locate: nowhere,
  });
  let text: string | undefined;
  try {
    // Nothing comes of an export that is undefined; the declared type leaves that out.
    text = JSON.stringify(value, plainOnly) as string | undefined;
  } catch (error) {
    return finding('not-plain', `the pipeline is not plain data: ${(error as Error).message.split('\n')[0]}`);
  }
  if (text === undefined) return finding('not-plain', 'the pipeline is not plain data');
  const parsed = parse(text, 'json');
  return { value: parsed.value, findings: parsed.findings.map((each) => ({ ...each, line: 1, column: 1 })), locate: nowhere };
}

function plainOnly(this: unknown, key: string, value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint')
    throw new TypeError(`'${key}' is a ${typeof value}`);
  return value;
}
