import { proof as badInput } from './bad-input.ts';
import { proof as cel } from './cel.ts';
import { proof as columns } from './columns.ts';
import { proof as flights } from './flights.ts';
import { proof as install } from './install.ts';
import { proof as kills } from './kills.ts';
import { proof as limits } from './limits.ts';
import { proof as lostAnswers } from './lost-answers.ts';
import type { Proof } from './proof.ts';
import { proof as readme } from './readme.ts';

/** Every proof, in the order in which a set runs. */
export const proofs: readonly Proof[] = [lostAnswers, cel, columns, badInput, limits, flights, kills, install, readme];
