import { parseArgs } from 'node:util';
import { UsageError } from './errors.ts';
import { nearestWord } from './nearest.ts';
import type { Values, Verb, VerbOptions } from './verb.ts';

export type Parsed = { args: string[]; options: Values<VerbOptions>; help: boolean };

const arity = (usage: string): { min: number; max: number; names: string[] } => {
  const names = usage.split(' ').filter(Boolean);
  return {
    names,
    min: names.filter((name) => !name.startsWith('[')).length,
    max: names.some((name) => name.includes('…')) ? Infinity : names.length,
  };
};

/** Reads the arguments of a verb. Fails with `UsageError`: unknown option (with the nearest), missing value, missing or extra argument. */
export const parseVerb = (verb: Verb<any>, argv: readonly string[]): Parsed => {
  const options = verb.options as VerbOptions;
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short && { short }), ...(multiple && { multiple }) },
    ]),
  );
  const see = `see: portolan help ${verb.name}`;
  const known = { ...config, help: { type: 'boolean' as const, short: 'h' } };
  const { tokens } = parseArgs({ args: [...argv], options: known, strict: false, allowPositionals: true, tokens: true });
  const args: string[] = [];
  const values: Record<string, unknown> = {};
  let help = false;
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value);
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (token.name === 'help') help = true;
    else if (!option) {
      const meant = nearestWord(token.name, [...Object.keys(options), 'help']);
      throw new UsageError(`${token.rawName} is not an option of ${verb.name}`, `${meant ? `did you mean --${meant}? ` : ''}${see}`);
    } else if (option.type === 'boolean') {
      if (token.value !== undefined) throw new UsageError(`--${token.name} takes no value, got '${token.value}'`, see);
      values[token.name] = true;
    } else {
      if (token.value === undefined || (!token.inlineValue && /^--?[a-z]/.test(token.value)))
        throw new UsageError(`--${token.name} needs a value (${option.value ?? 'VALUE'})`, see);
      values[token.name] = option.multiple ? [...((values[token.name] as string[] | undefined) ?? []), token.value] : token.value;
    }
  }
  const { names, min, max } = arity(verb.usage);
  if (!help && args.length < min)
    throw new UsageError(`${verb.name} needs ${names[args.length]}`, `usage: portolan ${verb.name} ${verb.usage}; ${see}`);
  if (!help && args.length > max)
    throw new UsageError(
      `${verb.name} takes ${max === 0 ? 'no arguments' : names.join(' ').replaceAll(/[[\]]/g, '')}, got also '${args[max]}'`,
      see,
    );
  return { args, options: values as Values<VerbOptions>, help };
};
