import type { Verb, VerbEntry } from './verb.ts';

const pad = (rows: readonly (readonly [string, string])[], indent = '  '): string => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${indent}${name.padEnd(width)}  ${text}\n`).join('');
};

/** The page of `portolan help`. */
export const overview = (verbs: readonly VerbEntry[]): string => {
  const groups = Map.groupBy(verbs, (verb) => verb.group);
  const width = Math.max(...verbs.map((verb) => verb.name.length));
  return [
    'portolan: durable pipelines over the maps API and the instance API, run as Temporal workflows\n',
    '\nusage: portolan VERB [arguments] [options]\n',
    ...[...groups].map(
      ([group, members]) => `\n${group}\n${members.map((verb) => `  ${verb.name.padEnd(width)}  ${verb.summary}\n`).join('')}`,
    ),
    '\nportolan help VERB shows arguments, options and an example.\n',
    'Exit codes: 0 done, 1 failed, 2 usage or invalid file, 3 needs approval, 4 inconclusive, 130 interrupted.\n',
  ].join('');
};

/** The page of `portolan help VERB` and `portolan VERB --help`. */
export const verbHelp = (verb: Verb<any>): string => {
  const options = Object.entries(verb.options as Verb['options']).map(([name, option]): [string, string] => [
    `${option.short ? `-${option.short}, ` : '    '}--${name}${option.type === 'string' ? ` ${option.value ?? 'VALUE'}` : ''}`,
    option.description + (option.multiple ? ' May be repeated.' : ''),
  ]);
  return [
    `portolan ${verb.name}: ${verb.summary}\n`,
    `\nusage: portolan ${[verb.name, verb.usage, '[options]'].filter(Boolean).join(' ')}\n`,
    verb.details ? `\n${verb.details.trim()}\n` : '',
    `\noptions\n${pad([...options, ['-h, --help', 'This page.']])}`,
    `\nexample${verb.examples.length > 1 ? 's' : ''}\n${verb.examples.map((line) => `  ${line}\n`).join('')}`,
  ].join('');
};
