/** The points that have each tag of a map of the local service, by their numbers; a tag that no point has is left out. */
export async function taggedRows(url: string, map: string): Promise<Record<string, readonly number[]>> {
  const about = (await (await fetch(`${url}/pages/maps/${map}`)).json()) as { tags: { id: string; name: string; count: number }[] };
  const found = await Promise.all(
    about.tags.map(async ({ id, name }) => {
      const bytes = await (await fetch(`${url}/pages/maps/${map}/tagged?tag=${id}`)).arrayBuffer();
      return [name, [...new Uint32Array(bytes)]] as const;
    }),
  );
  return Object.fromEntries(found.filter(([, rows]) => rows.length > 0).sort(([a], [b]) => a.localeCompare(b)));
}
