import type { Transport } from '../../client/send.ts';
import { services, type Service } from '../../contracts/index.ts';
import { BadInput } from '../../errors/classes.ts';
import type { ActivityInput } from '../../pipelines/plan.ts';
import type { StepConnection } from './context.ts';

/** A resolved service of a connection: how its calls are sent, and what a step may know of it. */
export type OpenService = { connection: StepConnection; transport: Transport };

/** Opens a service of the connection of a name. */
export type Connect = (service: Service, name: string) => OpenService;

/** Opens a service when it is first asked for, once for an attempt. */
export function opener(connect: Connect, { use, connections }: ActivityInput['step']): (service: Service) => OpenService {
  const opened = new Map<Service, OpenService>();
  return (service) => {
    const found = opened.get(service);
    if (found) return found;
    const name = connections[service];
    if (name === undefined)
      throw new BadInput(
        'bad_input',
        `${use} calls the ${services[service].title}, but none of its \`operations\` is of it: list them in the step`,
      );
    const open = connect(service, name);
    opened.set(service, open);
    return open;
  };
}
