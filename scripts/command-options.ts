import { parseArgs, type ParseArgsConfig } from 'node:util';

/**
 * The options of a command of the checkout. `--help` prints `usage` and ends the process; what the command does not know is said with
 * it, and ends the process with 2.
 */
export function commandOptions<T extends NonNullable<ParseArgsConfig['options']>>(options: T, usage: string) {
  try {
    const parsed = parseArgs({ allowPositionals: true, options: { ...options, help: { type: 'boolean', short: 'h' } } });
    if (!('help' in parsed.values) || parsed.values.help !== true) return parsed;
    process.stdout.write(usage);
    process.exit(0);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error), usage);
  }
}

/** Ends the process with what is wrong about its command line. */
export function refuse(what: string, usage: string): never {
  process.stderr.write(`${what}\n\n${usage}`);
  process.exit(2);
}
