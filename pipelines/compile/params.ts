import type { Json } from '../../text/json.ts';
import type { PipelineFile } from '../file/schema.ts';
import type { ParamType } from '../param-types.ts';
import { help, type Finding, type Locate } from '../file/findings.ts';
import { meant } from '../file/meant.ts';
import { schemaOfParam } from './names.ts';
import { hasExpression } from '../expressions/scan.ts';
import { nearest, suggestion } from '../../text/nearest.ts';
import { invalid, paramValues } from '../param-values.ts';

type Declared = PipelineFile['params'];

type Environments = PipelineFile['environments'];

/** Where a value of a parameter is from: how a finding calls it, and where it stands. */
type Origin = { called: string; path: string[]; inFile: boolean };

/** A value by the type of its parameter, or what is wrong with it. */
function readValue(
  type: ParamType,
  raw: unknown,
  { called, path, inFile }: Origin,
  baseDir: string,
  locate: Locate,
): { value: Json } | { finding: Finding } {
  const value = paramValues[type].value(raw, baseDir);
  const holds = typeof raw === 'string' && hasExpression(raw);
  if (value !== invalid && !holds) return { value };
  return {
    finding: {
      code: 'bad-param',
      message: holds
        ? `${called} holds an expression; a parameter is a plain value`
        : `${called} is ${JSON.stringify(raw)}, expected ${paramValues[type].expects}`,
      path: path.join('.'),
      ...locate.value(path),
      ...(holds || !inFile
        ? {}
        : help(locate, path, { value: meant(schemaOfParam[type], raw as Json) }, `write ${paramValues[type].expects}, or another type`)),
    },
  };
}

/** Values that environments set: all are checked, whichever one a run takes. */
function checkEnvironments(environments: Environments, declared: Declared, baseDir: string, locate: Locate): Finding[] {
  return Object.entries(environments).flatMap(([environment, { params }]) =>
    Object.entries(params).flatMap(([name, raw]): Finding[] => {
      const path = ['environments', environment, 'params', name];
      if (!Object.hasOwn(declared, name)) {
        const near = nearest(name, Object.keys(declared));
        return [
          {
            code: 'unknown-param',
            message: `'${name}' is not a parameter of this pipeline${suggestion(name, Object.keys(declared))}`,
            path: path.join('.'),
            ...locate.key(path),
            ...help(locate, path, { key: near }, `declare it under params: ${name}: { type: string }`),
          },
        ];
      }
      const result = readValue(declared[name]!.type, raw, { called: `'${name}' of ${environment}`, path, inFile: true }, baseDir, locate);
      return 'finding' in result ? [result.finding] : [];
    }),
  );
}

/**
 * Values of the parameters: given ones, else those of the environment, else defaults. `required` names those without any; they are
 * findings only where a run is about to start.
 */
export function resolveParams(
  { params: declared, environments }: Pick<PipelineFile, 'params' | 'environments'>,
  given: Readonly<Record<string, unknown>>,
  environment: string | undefined,
  baseDir: string,
  locate: Locate,
): { values: { [name: string]: Json }; required: string[]; findings: Finding[] } {
  const values: { [name: string]: Json } = {};
  const required: string[] = [];
  const findings = checkEnvironments(environments, declared, baseDir, locate);
  const there = environment === undefined ? {} : (environments[environment]?.params ?? {});
  for (const [name, { type, default: preset }] of Object.entries(declared)) {
    const set = Object.hasOwn(given, name);
    const raw = set ? given[name] : Object.hasOwn(there, name) ? there[name] : preset;
    if (raw === undefined) {
      required.push(name);
      continue;
    }
    const origin = set
      ? { called: `parameter '${name}'`, path: ['params', name], inFile: false }
      : { called: `the default of '${name}'`, path: ['params', name, 'default'], inFile: true };
    const result = readValue(type, raw, origin, baseDir, locate);
    if ('value' in result) values[name] = result.value;
    // What is wrong with an environment is said once, at its place.
    else if (set || !Object.hasOwn(there, name)) findings.push(result.finding);
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
