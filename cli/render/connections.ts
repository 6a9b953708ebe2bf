/** What a line about connections needs to know of each service of one. */
export type ConnectionSummary = { name: string; service: string; hosted: boolean; url?: string };

/** `maps: local (local, http://127.0.0.1:7411)`: every output says which connection it used and whether it is hosted. */
export const connectionsLine = (used: { [service: string]: string }, known: readonly ConnectionSummary[] = []): string =>
  Object.entries(used)
    .map(([service, name]) => {
      const found = known.find((connection) => connection.name === name && connection.service === service);
      const facts = found ? [found.hosted ? 'hosted' : name === 'local' ? '' : 'local', found.url ?? ''].filter(Boolean).join(', ') : '';
      return `${service}: ${name}${facts ? ` (${facts})` : ''}`;
    })
    .join('   ');
