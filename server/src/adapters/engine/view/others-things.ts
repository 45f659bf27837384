/** What other installations of Berth made on an engine, and what was made before things bore an id. */
import { installationLabel, managedLabel, taskIdLabel } from '../../../domain/names/labels.ts';
import type { OthersThing } from '../../../ports/engine/service-mark.ts';
import type { EngineClient } from '../client/engine-client.ts';
import { containersAnswer, networksAnswer, servicesAnswer, volumesAnswer } from '../services/answers.ts';

/** Containers of services are not listed: their services are. */
export async function othersThings(client: EngineClient): Promise<OthersThing[]> {
  const query = { filters: { label: [`${managedLabel}=true`] } };
  const get = { method: 'GET', query, doing: "looking for other installations' things" } as const;
  const [services, networks, volumes, containers] = await Promise.all([
    client.call({ ...get, path: '/services' }, servicesAnswer),
    client.call({ ...get, path: '/networks' }, networksAnswer),
    client.call({ ...get, path: '/volumes' }, volumesAnswer),
    client.call({ ...get, path: '/containers/json', query: { ...query, all: true } }, containersAnswer),
  ]);
  const thing = (kind: OthersThing['kind'], name: string, labels: Record<string, string>): OthersThing => ({
    kind,
    name,
    labels,
    installationId: labels[installationLabel] || null,
  });
  const found = [
    ...services.map(({ Spec }) => thing('service', Spec.Name, Spec.Labels)),
    ...networks.map(({ Name, Labels }) => thing('network', Name, Labels)),
    ...(volumes.Volumes ?? []).map(({ Name, Labels }) => thing('volume', Name, Labels)),
    ...containers
      .filter(({ Labels }) => Labels[managedLabel] === 'true' && Labels[taskIdLabel] === undefined)
      .map(({ Names, Labels }) => thing('container', (Names[0] ?? '').replace(/^\//, ''), Labels)),
  ];
  return found
    .filter(({ installationId }) => installationId !== client.installation)
    .toSorted((one, other) => one.name.localeCompare(other.name));
}
