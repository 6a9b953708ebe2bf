import { hostname, userInfo } from 'node:os';

const systemUser = (): string => {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry in the password file, as containers have.
    return `uid${process.getuid?.() ?? ''}`;
  }
};

/** Who acts: `--as`, else PORTOLAN_USER, else the system's user at this host. */
export const who = (as?: string): string => as ?? (process.env['PORTOLAN_USER'] || `${systemUser()}@${hostname()}`);
