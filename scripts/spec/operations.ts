/** Operations of a row of the endpoint tables: several methods (`GET, POST`), or several paths, each with its method. */
export function operationsOf(methods: string, paths: string): string[] {
  const named = paths.split(/;| and /).map((path) => path.replace('(deprecated)', '').trim());
  return named.flatMap((path) => (path.startsWith('/') ? methods.split(',').map((method) => `${method.trim()} ${path}`) : [path]));
}
