import { exit } from './exit.ts';
import { CommandError } from './errors.ts';
import { findVerb } from './find-verb.ts';
import { overview, verbHelp } from './help.ts';
import { parseVerb } from './parse.ts';
import type { Verb } from './verb.ts';
import { createTerminal, type Terminal, type TerminalOptions } from './terminal.ts';
import { withoutControls } from '../../text/controls.ts';
import { verbs } from '../verbs/index.ts';

export type MainOptions = TerminalOptions & { cwd?: string; signal?: AbortSignal };

/** Runs one command line (without node and script) and returns the exit code; everything it touches can be injected. */
export const main = async (argv: readonly string[], options: MainOptions = {}): Promise<number> => {
  const env = options.env ?? process.env;
  const terminal = createTerminal({ ...options, env });
  const signal = options.signal ?? new AbortController().signal;
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h') {
    terminal.page(overview(verbs));
    return name === undefined ? exit.usage : exit.done;
  }
  if (name === '--version' || name === '-v') {
    terminal.out(`${await (await import('./version.ts')).version()}\n`);
    return exit.done;
  }
  let verb: Verb<any> | undefined;
  try {
    const entry = findVerb(name, verbs, (meant) => `${meant ? `did you mean: portolan ${meant}? ` : ''}all verbs: portolan help`);
    verb = await entry.load();
    const parsed = parseVerb(verb, rest);
    if (parsed.help) {
      terminal.page(verbHelp(verb));
      return exit.done;
    }
    return await verb.run({ args: parsed.args, options: parsed.options, terminal, cwd: options.cwd ?? process.cwd(), env, signal, verbs });
  } catch (error) {
    return await report(error, terminal, {
      interrupted: signal.aborted,
      debug: !!env.PORTOLAN_DEBUG,
      json: verb?.options['json']?.type === 'boolean' && rest.includes('--json'),
    });
  }
};

const remedyOf = async (status: number): Promise<string | undefined> => (await import('../../errors/meanings.ts')).remedyOfStatus(status);

/**
 * Says what failed, why and how to fix it; an error of ours carries its remedy and exit code. `json`: for a script also as
 * the last line of what it reads.
 */
const report = async (
  error: unknown,
  terminal: Terminal,
  { interrupted, debug, json }: { interrupted: boolean; debug: boolean; json: boolean },
): Promise<number> => {
  if (interrupted && error instanceof Error && error.name === 'AbortError') {
    if (json) terminal.document('error', { type: 'error', message: 'interrupted', exit: exit.interrupted });
    return exit.interrupted;
  }
  const { message, remedy, code, status: answered } = error as { message?: unknown; remedy?: unknown; code?: unknown; status?: unknown };
  const what = typeof message === 'string' && message ? message : String(error);
  const how = typeof remedy === 'string' ? remedy : typeof answered === 'number' ? await remedyOf(answered) : undefined;
  const status = error instanceof CommandError ? error.code : typeof code === 'number' && code > 0 && code < 256 ? code : exit.failed;
  const facts = error instanceof CommandError ? error.facts() : { message: what };
  if (json) terminal.document('error', { type: 'error', ...facts, ...(how === undefined ? {} : { remedy: how }), exit: status });
  const look = (await import('../render/look.ts')).errorLookOf(terminal);
  const shown = error instanceof CommandError ? error.shown(look) : withoutControls(what);
  terminal.err(`${look.paint.red('✗')} ${shown}\n`);
  if (how !== undefined) terminal.err(`  ${how.replaceAll('\n', '\n  ')}\n`);
  if (debug && error instanceof Error) terminal.err(`${error.stack ?? ''}\n`);
  return status;
};
