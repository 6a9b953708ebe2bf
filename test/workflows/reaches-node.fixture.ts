import { readFileSync } from 'node:fs';

/** A workflow that must be refused by the bundler. */
export const reachesNode = async (): Promise<string> => readFileSync('/etc/hostname', 'utf8');
