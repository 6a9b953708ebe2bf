import type { Calls } from '../../client/invoke.ts';
import { createApi, type Api } from '../service/world.ts';
import { addPerson, usePlace, type Holder, type Place } from './place.ts';

/** The same place with the key of the instance API. */
export type InstancePlace = Place & { owner: Calls };

/** One service for all tests of a file; `owner`: the client of a user who administers the organization. */
export function useInstance(): () => InstancePlace {
  const place = usePlace();
  return () => ({ ...place(), owner: place().withKey(place().service.adminKeys.instance) });
}

/** Plain HTTP with a key of the instance API: the owner's where none is named. */
export const plain = ({ service }: Place, key: string = service.adminKeys.instance): Api =>
  createApi(service.fetch, 'http://127.0.0.1', key);

let people = 0;

/** A further member of the organization, with a key of the scopes that are named. */
export const memberWith = (place: Place, scopes: readonly string[] = ['developer']): Promise<Holder & { id: string; email: string }> =>
  addPerson(place, `member-${++people}`, { service: 'instance', scopes });

let names = 0;

export const newProject = async ({ invoke }: Pick<Calls, 'invoke'>, more: { description?: string; projectNumber?: string } = {}) =>
  invoke('instance.projects.create', { name: `project ${++names}`, ...more });

/** All items of a list, page by page. */
export async function allOf<T>(pages: AsyncIterable<{ data: readonly T[] }>): Promise<T[]> {
  const found: T[] = [];
  for await (const { data } of pages) found.push(...data);
  return found;
}
