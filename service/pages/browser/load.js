const base = `/pages/maps/${encodeURIComponent(location.pathname.split('/')[2] ?? '')}`;
const load = async (path, read) => {
  const response = await fetch(base + path);
  if (response.ok) return read(response);
  const { detail } = await response.json().catch(() => ({ detail: `status ${response.status}` }));
  throw new Error(typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join('; '));
};
/** JSON of the map; an error carries the service's own words. */
export const json = (path) => load(path, (response) => response.json());
/** Bytes of the map: typed arrays. */
export const binary = (path) => load(path, (response) => response.arrayBuffer());
