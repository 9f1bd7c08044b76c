// Loaded into a gateway under test: collects its garbage when told to by SIGUSR2.
process.on('SIGUSR2', () => {
  globalThis.gc?.();
});
