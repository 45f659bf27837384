/**
 * Milliseconds of processor time that the work took on this thread: how busy the machine is does not matter.
 */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
