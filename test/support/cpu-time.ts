/**
 * CPU time of this process so far, ms: what code costs, whatever else the machine does meanwhile. A
 * bound on it is wide and catches what grows out of proportion, not what is a little slow.
 */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
