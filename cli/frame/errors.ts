import { withoutControls } from '../../text/controls.ts';
import type { Look } from '../render/look.ts';
import { exit, type ExitCode } from './exit.ts';

/** A failure as the person at the terminal reads it: what failed and why in the message, how to fix it in `remedy`. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly remedy: string | undefined;
  readonly code: ExitCode;
  constructor(message: string, options: { remedy?: string | undefined; code?: ExitCode; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.remedy = options.remedy;
    this.code = options.code ?? exit.failed;
  }

  /** What a script reads of it, beside remedy and exit code. */
  facts(): { message: string; [field: string]: unknown } {
    return { message: this.message };
  }

  /** The message as wide, and in such colours, as a terminal takes it. */
  shown(_look: Look): string {
    return withoutControls(this.message);
  }
}

/** A wrong command line or an invalid file: exit code 2. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
  constructor(message: string, remedy?: string) {
    super(message, { remedy, code: exit.usage });
  }
}
