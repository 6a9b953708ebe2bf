import type { Service } from '../../contracts/index.ts';
import { unanswered, type ConnectionProblem } from './connection-problem.ts';

/** A service that a plan would have asked, and that refused or could not be reached. */
export type NotAsked = ConnectionProblem & { service: Service; connection: string };

/** Takes each question that was not answered. Where no connection is named nobody was to be asked. */
export type Refused = (service: Service, connection: string | undefined, error: unknown) => void;

/** Keeps what was not answered, each reason once. */
export function keepRefused(): { refused: Refused; notAsked: NotAsked[] } {
  const notAsked: NotAsked[] = [];
  const refused: Refused = (service, connection, error) => {
    if (connection === undefined) return;
    const plan = '--offline plans without asking';
    const problem = unanswered(connection, error as Error, { unreached: plan, keyless: plan });
    addUnsaid(notAsked, { service, connection, ...problem });
  };
  return { refused, notAsked };
}

export function addUnsaid(all: NotAsked[], ...more: readonly NotAsked[]): void {
  for (const one of more)
    if (!all.some(({ service, connection, says }) => service === one.service && connection === one.connection && says === one.says))
      all.push(one);
}

/** How `plan` says it: the plan below stands by what is known here. */
export const sayNotAsked = ({ service, says, remedy }: NotAsked): string =>
  `the ${service} service could not be asked: ${says}\n  ${remedy}\n`;
