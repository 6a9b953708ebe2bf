import type { Verb, VerbEntry, VerbOption } from '../frame/verb.ts';
import type { Completion } from './completion.ts';
import { sources, type Place } from './sources.ts';

const nothing: Completion = { words: [], files: false };

const optionsOf = (verb: Verb<any>): Record<string, VerbOption> => ({
  ...(verb.options as Verb['options']),
  help: { type: 'boolean', short: 'h', description: 'The page of the verb.' },
});

/** The option that a word names, `--name` or `-n`. */
const named = (word: string, options: Record<string, VerbOption>): [string, VerbOption] | undefined =>
  Object.entries(options).find(([name, { short }]) => word === `--${name}` || (short !== undefined && word === `-${short}`));

/** Splits the words of a verb into arguments and the option whose value comes last. */
function readWords(
  words: readonly string[],
  options: Record<string, VerbOption>,
): { args: string[]; given: string[]; open?: [string, VerbOption] } {
  const args: string[] = [];
  const given: string[] = [];
  let open: [string, VerbOption] | undefined;
  for (const word of words) {
    if (open) open = undefined;
    else if (word.startsWith('-') && word !== '-') {
      const option = named(word.split('=', 1)[0]!, options);
      if (!option) continue;
      given.push(option[0]);
      if (option[1].type === 'string' && !word.includes('=')) open = option;
    } else args.push(word);
  }
  return { args, given, ...(open && { open }) };
}

/** The name of the argument at a place of a usage line such as `RUN [STEP]` or `FILE…`; undefined where none follows. */
export function argumentAt(usage: string, place: number): string | undefined {
  const names = usage.split(' ').filter(Boolean);
  const name = names[place] ?? (names.at(-1)?.endsWith('…') ? names.at(-1) : undefined);
  return name?.replace(/[[\]…]/g, '');
}

const matching = ({ words, files }: Completion, start: string): Completion => ({
  words: words.filter(({ word }) => word.startsWith(start)),
  files,
});

/** What may follow the words behind `portolan`, the last of which is being typed. Fails never: what cannot be known is not offered. */
export async function complete(words: readonly string[], { verbs, ...place }: Place): Promise<Completion> {
  const typed = words.at(-1) ?? '';
  const [name, ...rest] = words.slice(0, -1);
  if (name === undefined) return matching({ words: verbs.map((verb) => ({ word: verb.name, says: verb.summary })), files: false }, typed);
  const entry: VerbEntry | undefined = verbs.find((verb) => verb.name === name);
  if (!entry) return nothing;
  const verb = await entry.load();
  const options = optionsOf(verb);
  const { args, given, open } = readWords(rest, options);
  const of = (kind: string, option?: string): Promise<Completion> =>
    (sources[option ?? ''] ?? sources[kind])?.({ ...place, verbs, verb: name, args }).catch(() => nothing) ?? Promise.resolve(nothing);
  if (open) return matching(await of(open[1].value ?? '', `--${open[0]}`), typed);
  const [before, at] = [typed.slice(0, typed.indexOf('=') + 1), named(typed.split('=', 1)[0]!, options)];
  if (before !== '' && at?.[1].type === 'string') {
    const found = matching(await of(at[1].value ?? '', `--${at[0]}`), typed.slice(before.length));
    return { ...found, words: found.words.map(({ word, says }) => ({ word: before + word, says })) };
  }
  if (typed.startsWith('-'))
    return matching(
      {
        words: Object.entries(options)
          .filter(([option, { multiple }]) => multiple === true || !given.includes(option))
          .map(([option, { description }]) => ({ word: `--${option}`, says: description })),
        files: false,
      },
      typed,
    );
  const argument = argumentAt(verb.usage, args.length);
  if (argument === undefined) return nothing;
  return matching(await of(argument), typed);
}
