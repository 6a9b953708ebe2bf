/** The folder of another run beside that of one. */
export const storeBeside = ({ store }: { readonly store: string }, run: string): string =>
  `${store.slice(0, store.lastIndexOf('/'))}/${run}`;
