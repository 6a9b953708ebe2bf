import { isAbsolute, resolve } from 'node:path';
import type { Json } from '../../text/json.ts';
import type { ParamType, PipelineFile } from '../file/schema.ts';
import { help, type Finding, type Locate } from '../file/findings.ts';
import { meant } from '../file/meant.ts';
import { schemaOfParam } from './names.ts';
import { hasExpression } from '../expressions/scan.ts';
import { slugPattern, slugRule } from '../../text/slug.ts';
import { suggestion } from '../../text/nearest.ts';

type Declared = PipelineFile['params'];

/** An address such as `https://…` or `s3://…`; everything else is a path. */
export const isAddress = (text: string): boolean => /^[A-Za-z][A-Za-z0-9+.-]+:\/\//.test(text);

/** A path as the folder of the file sees it. Addresses stay as they are. */
export const resolvePath = (path: string, baseDir: string): string => (isAddress(path) || isAbsolute(path) ? path : resolve(baseDir, path));

const invalid = Symbol('invalid');

/** How each type reads a value: text is what a command line gives. */
const read: Record<ParamType, { expects: string; value(given: unknown, baseDir: string): Json | typeof invalid }> = {
  path: {
    expects: 'a path',
    value: (given, baseDir) => (typeof given === 'string' && given !== '' && !given.includes('\0') ? resolvePath(given, baseDir) : invalid),
  },
  slug: {
    expects: `a slug: ${slugRule}`,
    value: (given) => (typeof given === 'string' && slugPattern.test(given) ? given : invalid),
  },
  string: { expects: 'a text', value: (given) => (typeof given === 'string' ? given : invalid) },
  integer: { expects: 'a whole number', value: (given) => number(given, /^[+-]?\d+$/, Number.isSafeInteger) },
  number: { expects: 'a number', value: (given) => number(given, /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/, Number.isFinite) },
  boolean: {
    expects: 'true or false',
    value: (given) => (given === true || given === 'true' ? true : given === false || given === 'false' ? false : invalid),
  },
};

function number(given: unknown, written: RegExp, allowed: (value: number) => boolean): number | typeof invalid {
  const value = typeof given === 'string' && written.test(given) ? Number(given) : given;
  return typeof value === 'number' && allowed(value) ? value : invalid;
}

/**
 * Values of the parameters: given ones, else defaults. `required` names those without either; they are findings
 * only where a run is about to start.
 */
export function resolveParams(
  declared: Declared,
  given: Readonly<Record<string, unknown>>,
  baseDir: string,
  locate: Locate,
): { values: { [name: string]: Json }; required: string[]; findings: Finding[] } {
  const values: { [name: string]: Json } = {};
  const required: string[] = [];
  const findings: Finding[] = [];
  for (const [name, { type, default: preset }] of Object.entries(declared)) {
    const set = Object.hasOwn(given, name);
    const raw = set ? given[name] : preset;
    if (raw === undefined) {
      required.push(name);
      continue;
    }
    const value = read[type].value(raw, baseDir);
    const path = set ? ['params', name] : ['params', name, 'default'];
    const holds = typeof raw === 'string' && hasExpression(raw);
    if (holds)
      findings.push({
        code: 'bad-param',
        message: `${set ? 'parameter' : 'the default of'} '${name}' holds an expression; a parameter is a plain value`,
        path: path.join('.'),
        ...locate.value(path),
      });
    else if (value === invalid)
      findings.push({
        code: 'bad-param',
        message: `${set ? 'parameter' : 'the default of'} '${name}' is ${JSON.stringify(raw)}, expected ${read[type].expects}`,
        path: path.join('.'),
        ...locate.value(path),
        ...(set
          ? {}
          : help(locate, path, { value: meant(schemaOfParam[type], raw as Json) }, `write ${read[type].expects}, or another type`)),
      });
    else values[name] = value;
  }
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(declared, name))
      findings.push({
        code: 'unknown-param',
        message: `'${name}' is not a parameter of this pipeline${suggestion(name, Object.keys(declared))}`,
        path: 'params',
        ...locate.key(['params']),
      });
  }
  return { values, required, findings };
}
