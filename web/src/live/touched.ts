/** Which routers' answers an event makes old. */

const services = ['application', 'compose', 'postgres', 'mysql', 'mariadb', 'mongo', 'redis'];
const shown = ['service', 'project', 'environment'];

export function touchedBy(kind: string, what: string): readonly string[] {
  // Previews show the state of their deployments and of what runs, too.
  if (what === 'deployment' || kind === 'deployment')
    return ['deployment', 'previewDeployment', ...shown, ...services];
  if (what === 'condition' || services.includes(kind))
    return [...shown, 'alarm', 'previewDeployment', ...(services.includes(kind) ? [kind] : services)];
  if (kind === 'backup') return [kind, 'volumeBackup', ...services];
  return [kind, ...(kind === 'project' || kind === 'environment' ? shown : services)];
}
