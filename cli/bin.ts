#!/usr/bin/env node
// Nothing may be imported above the check: an older Node must get its line, not a syntax error of a module it cannot read.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    'Portolan needs Node ≥ 22.18; this is ' +
      process.versions.node +
      '\n  install one (nodejs.org, nvm install 24), or in this project alone: npm install node@24\n',
  );
  process.exitCode = 2;
} else {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') process.stderr.write(warning.name + ': ' + warning.message + '\n');
  });
  // A reader that has seen enough (`portolan runs | head`) is no failure, and ends a verb that does nothing but show.
  const showing = ['docs', 'graph', 'help', 'items', 'preview', 'report', 'runs', 'status', 'steps', 'watch', 'why'];
  const onlyShows = showing.includes(process.argv[2] ?? 'help');
  // What nobody hears changes nothing else: the work goes on, and its exit code says how it ended.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exit(1);
    if (onlyShows) process.exit(0);
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => void (error.code === 'EPIPE' || process.exit(1)));
  const interrupt = new AbortController();
  const stop = (): void => {
    // A second Ctrl-C means: now.
    if (interrupt.signal.aborted) process.exit(130);
    interrupt.abort();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // Compiled code is kept for the next command, in the user's own folder: what lies in a common one could be another's.
  const { enableCompileCache } = await import('node:module');
  const { cacheFolder } = await import('../config/user-folders.ts');
  const cache = cacheFolder();
  if (cache !== undefined) enableCompileCache(cache);
  const { main } = await import('./frame/main.ts');
  process.exitCode = await main(process.argv.slice(2), { signal: interrupt.signal });
  // What an interrupted verb was waiting for, as the deadline of a connection, holds the process no longer.
  if (interrupt.signal.aborted) process.stdout.write('', () => process.exit());
}

export {};
