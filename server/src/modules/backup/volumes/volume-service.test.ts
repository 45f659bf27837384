import { expect, it } from 'vitest';
import { composeRef } from '../../../domain/names/service-ref.ts';
import type { ServiceSpec } from '../../../ports/engine/engine.ts';
import { volumeNow, volumesIn, type VolumeService } from './volume-service.ts';

const service: VolumeService = {
  ref: composeRef('c1'),
  organizationId: 'acme',
  name: 'Stack',
  appName: 'stack',
  serverId: null,
  isStopped: false,
  restoredVolumes: {},
};
const withVolumes = (...volumes: [source: string, target: string][]): ServiceSpec[] => [
  {
    mounts: volumes.map(([source, target]) => ({ type: 'volume', source, target, readOnly: false })),
  } as never,
];
const listed = (restoredVolumes: VolumeService['restoredVolumes'], specs: ServiceSpec[]): object =>
  Object.fromEntries(volumesIn({ ...service, restoredVolumes }, specs));

it('volumes are the service’s own, and those that its file names', () => {
  const specs = withVolumes(['berth-c1-data', '/data'], ['shop-data', '/shop'], ['shop-data', '/again']);
  expect(listed({}, specs)).toEqual({ data: ['/data'], 'name:shop-data': ['/shop', '/again'] });
  expect(volumeNow(service, 'name:shop-data')).toBe('shop-data');
  expect(volumeNow(service, 'shop-data')).toBe('berth-c1-shop-data');
});

it('a named one keeps its name within the service after a restore', () => {
  const restored = 'berth-c1-_shop-data.restored-r';
  expect(listed({ 'name:shop-data': restored }, withVolumes([restored, '/shop']))).toEqual({
    'name:shop-data': ['/shop'],
  });
});
