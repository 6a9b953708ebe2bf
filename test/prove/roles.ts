import { createWorld, type World } from '../service/world.ts';
import { mapsOperations, type MapsOperation } from '../service/named-places.ts';
import { line, type Proof } from './proof.ts';
import { createPrincipal, needs, principalNames, statusOf, type Principal } from './support-roles.ts';

const refusals = new Set([401, 403]);

/** What the journal holds: effects, and nothing of what was refused. */
const effects = async ({ api }: World): Promise<number> => (await api.get('/__control/journal')).body.rows.length;

/** Cells that came out otherwise than they should: refused ones first, since they leave the place as it is. */
async function tryAll(
  world: World,
  { key, may, place }: Principal,
): Promise<{ cells: number; refused: number; wrong: string[]; left: number }> {
  const isOpen = (operation: MapsOperation): boolean => may.includes(needs[operation]);
  const wrong: string[] = [];
  const before = await effects(world);
  for (const operation of mapsOperations.filter((each) => !isOpen(each))) {
    const status = await statusOf(world, key, place, operation);
    if (!refusals.has(status)) wrong.push(`${operation}: ${status}, should be refused`);
  }
  const left = (await effects(world)) - before;
  for (const operation of mapsOperations.filter(isOpen)) {
    const status = await statusOf(world, key, place, operation);
    // Nobody has these codes and tokens, whoever asks.
    const asNobody = operation === 'maps.identity.token' || operation === 'maps.identity.refresh';
    if (status >= 500 || (refusals.has(status) && !asNobody)) wrong.push(`${operation}: ${status}, should be allowed`);
  }
  return { cells: mapsOperations.length, refused: mapsOperations.filter((each) => !isOpen(each)).length, wrong, left };
}

export const proof: Proof = {
  name: 'roles',
  sets: ['maps'],
  what: `every operation of the maps API tried as each of ${principalNames.length} who may ask: nobody reaches what their role does not have`,
  async run({ note }) {
    await using world = await createWorld();
    await world.service.listen();
    let [cells, refused, left] = [0, 0, 0];
    const wrong: string[] = [];
    for (const [at, name] of principalNames.entries()) {
      const tried = await tryAll(world, await createPrincipal(world, at));
      cells += tried.cells;
      refused += tried.refused;
      left += tried.left;
      wrong.push(...tried.wrong.map((each) => `${name}: ${each}`));
      note(`${name}: ${tried.cells - tried.refused} allowed, ${tried.refused} refused, ${tried.wrong.length} otherwise`);
    }
    const stranger = await createPrincipal(world, principalNames.indexOf('a user of no other organization'));
    const asOwner = await tryAll(world, { ...stranger, key: world.service.adminKeys.maps });
    return [
      line(
        `cells tried: ${principalNames.length} who ask × ${mapsOperations.length} operations`,
        `${cells}, of which ${refused} are refused`,
        'every cell',
        cells === principalNames.length * mapsOperations.length,
      ),
      line('cells that came out otherwise', wrong.length, '0', wrong.length === 0),
      ...wrong.slice(0, 20).map((each) => line('otherwise', each, 'none', false)),
      line('effects of what was refused, by the journal', left, '0', left === 0),
      line(
        "control, what a stranger may not, tried with the owner's key: cells that come out otherwise",
        `${asOwner.wrong.length} of ${asOwner.refused}`,
        'all',
        asOwner.wrong.length >= asOwner.refused && asOwner.left > 0,
      ),
    ];
  },
};
