import type { Clock } from '../clock.ts';
import { keptSecret } from '../kept-secret.ts';
import type { Records } from '../records/database.ts';
import { createCodes, type Codes } from './codes.ts';
import { createSessions, type Sessions } from './sessions.ts';

/** The local identity provider: users sign in at a page of the service, by a key that they have. */
export type Identity = { codes: Codes; sessions: Sessions };

/** Path of the page at which users sign in. */
export const SIGN_IN_ROUTE = '/identity/authorize';

export const createIdentity = (records: Records, clock: Clock, dataDir: string): Identity => ({
  codes: createCodes(records, clock),
  sessions: createSessions(records, clock, keptSecret(dataDir, 'token-secret')),
});

const loopback = /^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?(?:\/|$)/;

/** Whether a code may be sent there: to a program of the user's own machine (RFC 8252), and nowhere else. */
export const mayReturnTo = (uri: string): boolean => URL.canParse(uri) && loopback.test(uri) && new URL(uri).username === '';
